import {
  CirclePause,
  Copy,
  Download,
  ListChecks,
  LoaderCircle,
  type LucideIcon,
  PenLine,
  RotateCw,
  Trash2,
  X,
} from "lucide-react";
import { useEffect, useState } from "react";
import { totalOf } from "@/components/count";
import { download } from "@/components/download";
import { withFailureToast } from "@/components/failure";
import type { BulkAction } from "@/components/groups/list-dialogs";
import { announce } from "@/components/ui/announcer";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { cn } from "@/lib/browser/class-name";
import { fetchGroupLines, MAX_MATCHES } from "@/lib/groups/bulk-queries";
import type { GroupReference } from "@/lib/groups/schema";
import { MAX_TOKENS } from "@/lib/groups/token-queries";

/** Larger selections are left to the list's export, which is one request. */
const MAX_EXPORTED = 1_000;
/** The actions, and the most groups that each takes. */
const PARTS: { what: BulkAction | "export"; icon: LucideIcon; label: string; most?: number }[] = [
  { what: "tokens", icon: Copy, label: "Copy tokens", most: MAX_TOKENS },
  { what: "rotate", icon: RotateCw, label: "Rotate…" },
  { what: "property", icon: PenLine, label: "Property…" },
  { what: "suspend", icon: CirclePause, label: "Suspend…" },
  { what: "export", icon: Download, label: "Export", most: MAX_EXPORTED },
  { what: "delete", icon: Trash2, label: "Delete…" },
];

interface BulkBarProps {
  selected: GroupReference[];
  /** set if the whole page is selected and more groups match */
  matches: { count: number; exact: boolean } | undefined;
  onSelectMatches: () => Promise<void>;
  onClear: () => void;
  onAct: (action: BulkAction) => void;
}

/** Actions on the selected groups, including those on other pages. */
export function BulkBar({ selected, matches, onSelectMatches, onClear, onAct }: BulkBarProps) {
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  const [isSelecting, setIsSelecting] = useState(false);
  const count = selected.length;
  useEffect(() => {
    if (count > 0) announce(`${count.toLocaleString("en")} selected`);
  }, [count]);
  if (count === 0) return null;
  const save = () =>
    withFailureToast("Nothing was exported", async () => {
      const numbers = selected.map(({ teamId }) => teamId);
      const lines = await fetchGroupLines(slug, numbers);
      download(`user-groups-${slug}.jsonl`, lines.join(""));
      const gone = count - lines.length;
      if (gone > 0) toast({ title: `${gone} of ${count} were left out: they have been deleted` });
    });
  const selectMatches = async () => {
    setIsSelecting(true);
    await onSelectMatches();
    setIsSelecting(false);
  };
  return (
    <section
      aria-label="Selected groups"
      className={cn(
        "pointer-events-auto absolute inset-x-4 bottom-full mx-auto mb-3 flex w-fit max-w-[calc(100%-32px)]",
        "animate-appear flex-wrap items-center gap-1 rounded-xl border border-border-strong bg-raised p-1.5 pl-4",
        "shadow-popup",
      )}
    >
      <p className="mr-2 font-medium tabular-nums">{count.toLocaleString("en")} selected</p>
      {matches &&
        (matches.count > MAX_MATCHES ? (
          <p className="mr-2 text-text-muted">
            {totalOf(matches)} match: you can select up to {MAX_MATCHES.toLocaleString("en")}
          </p>
        ) : (
          <Button
            variant="ghost"
            className="px-2! text-accent!"
            onClick={() => void selectMatches()}
            disabled={isSelecting}
          >
            {isSelecting ? <LoaderCircle aria-hidden className="animate-spin" /> : <ListChecks aria-hidden />}
            Select all {totalOf(matches)} that match
          </Button>
        ))}
      <span aria-hidden className="mx-1 h-5 w-px bg-border max-lg:hidden" />
      {PARTS.filter(({ what }) => canWrite || what === "export").map(({ what, icon, label, most }) => {
        const limit = most && count > most ? `Up to ${most.toLocaleString("en")} groups.` : undefined;
        return (
          <Button
            key={what}
            icon={icon}
            variant="ghost"
            className={cn("px-2! max-lg:px-1.5!", what === "delete" && "text-danger!")}
            disabled={limit !== undefined}
            title={limit}
            aria-description={limit}
            onClick={() => (what === "export" ? void save() : onAct(what))}
          >
            {label}
          </Button>
        );
      })}
      <Button icon={X} variant="ghost" size="icon" aria-label="Clear selection" onClick={onClear} />
    </section>
  );
}
