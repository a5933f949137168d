"use client";

import { Download, Trash2, X } from "lucide-react";
import { download } from "@/components/download";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { toastFailure } from "@/components/failure";
import { useCanWrite } from "@/components/members/use-member";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import { exportGroups } from "@/lib/groups/queries";
import type { GroupSummary } from "@/lib/groups/schema";

/** How many groups the server deletes at once. */
const MAX_DELETED = 100;

interface BulkBarProps {
  selected: GroupSummary[];
  onClear: () => void;
  onDelete: () => void;
}

/** What can be done with the groups that are selected, on this page and on those before it. */
export function BulkBar({ selected, onClear, onDelete }: BulkBarProps) {
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  if (selected.length === 0) return null;
  const save = async () => {
    try {
      const lines = await exportGroups(
        slug,
        selected.map(({ teamId }) => teamId),
      );
      download(`user-groups-${slug}.jsonl`, lines.join(""));
      const gone = selected.length - lines.length;
      if (gone > 0) toast({ title: `${gone} of ${selected.length} are left out: they were deleted meanwhile` });
    } catch (error) {
      toastFailure("Nothing was exported", error);
    }
  };
  return (
    <section
      aria-label="Selected groups"
      className="sticky bottom-4 z-20 mx-auto mt-4 flex w-fit max-w-full animate-appear flex-wrap items-center gap-2 rounded-md border border-border bg-surface p-2 pl-4 shadow-lg"
    >
      <p role="status" className="font-medium tabular-nums">
        {selected.length} selected
        {canWrite && selected.length > MAX_DELETED && `: at most ${MAX_DELETED} are deleted at once`}
      </p>
      <Button onClick={() => void save()}>
        <Download aria-hidden />
        Export
      </Button>
      {canWrite && (
        <Button onClick={onDelete} disabled={selected.length > MAX_DELETED} className="text-danger">
          <Trash2 aria-hidden />
          Delete…
        </Button>
      )}
      <Button variant="ghost" size="icon" aria-label="Clear selection" onClick={onClear}>
        <X aria-hidden />
      </Button>
    </section>
  );
}
