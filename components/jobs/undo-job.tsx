import { useRouter } from "next/navigation";
import { Button } from "@/components/ui/button";
import { useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { askToUndoJob, findUndo } from "@/lib/jobs/queries";
import type { Job, JobAnswer } from "@/lib/jobs/schema";

/** Begins the undoing of a job, and leads to its dry run. */
export function UndoJob({ job: { id } }: { job: Job }) {
  const slug = useEnvironmentSlug();
  const router = useRouter();
  const undo = useAction<void, JobAnswer>({
    act: () => askToUndoJob(slug, id),
    wasDone: async () => (await findUndo(slug, id)) !== undefined,
    undone: "It was not begun. Try again.",
    failed: "The job was not undone",
    isBare: true,
    onDone: async (answer) => {
      const begun = answer?.job ?? (await findUndo(slug, id));
      if (begun) router.push(`/${slug}/groups/jobs/${begun.id}`);
    },
  });
  return (
    <Button onClick={() => undo.run()} disabled={undo.state !== "ready"}>
      {undo.state === "ready" ? "Undo" : "Checking…"}
    </Button>
  );
}
