"use client";

import { useRouter } from "next/navigation";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { Button } from "@/components/ui/button";
import { useAction } from "@/components/use-action";
import { askToUndoImport, findUndo } from "@/lib/imports/queries";
import type { Import, ImportAnswer } from "@/lib/imports/schema";

/** Begins the undoing of an import, and leads to its dry run. */
export function UndoImport({ job: { id } }: { job: Import }) {
  const slug = useEnvironmentSlug();
  const router = useRouter();
  const undo = useAction<void, ImportAnswer>({
    act: () => askToUndoImport(slug, id),
    wasDone: async () => (await findUndo(slug, id)) !== undefined,
    undone: "It was not begun. Try again.",
    failed: "The import was not undone",
    isBare: true,
    onDone: async (answer) => {
      const begun = answer?.import ?? (await findUndo(slug, id));
      if (begun) router.push(`/${slug}/groups/import/${begun.id}`);
    },
  });
  return (
    <Button onClick={() => undo.run()} disabled={undo.state !== "ready"}>
      {undo.state === "ready" ? "Undo" : "Checking…"}
    </Button>
  );
}
