import { ConfirmDialog } from "@/components/confirm-dialog";
import { countOf } from "@/components/count";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";
import { toast } from "@/components/ui/toast";
import { useEnvironmentChange } from "@/components/use-environment-change";
import { askToDeleteEnvironment } from "@/lib/environments/queries";
import type { EnvironmentDetails } from "@/lib/environments/schema";

interface DeleteEnvironmentProps {
  environment: EnvironmentDetails;
  all: EnvironmentDetails[];
  onClose: () => void;
}

/** Confirms a deletion, or lists its obstacles. */
export function DeleteEnvironment({ environment, all, onClose }: DeleteEnvironmentProps) {
  const { slug, name } = environment;
  const deletion = useEnvironmentChange({
    change: () => askToDeleteEnvironment(slug),
    isDone: (now) => !now.some((one) => one.slug === slug),
    failed: "Nothing was deleted",
    onDone: () => {
      // The current page is part of it.
      if (window.location.pathname.split("/")[1] === slug) return window.location.replace("/");
      toast({ title: `“${name}” was deleted` });
    },
    onClose,
  });
  const obstacles = obstaclesOf(environment, all.length === 1);
  if (obstacles.length > 0) {
    return (
      <Dialog onClose={onClose} environment={environment} title={`${name} cannot be deleted yet`}>
        <Notice tone="warning" title="Before you can delete it">
          <ul className="list-disc pl-4">
            {obstacles.map((obstacle) => (
              <li key={obstacle}>{obstacle}</li>
            ))}
          </ul>
        </Notice>
        <DialogActions>
          <Button onClick={onClose}>Close</Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <ConfirmDialog
      action={deletion}
      environment={environment}
      title={`Delete ${name}?`}
      description="Its rules, webhooks, templates, signing keys and ended API tokens are deleted too. This cannot be undone. Its activity is kept."
      verb="Delete environment"
      danger
      retype={slug}
      onClose={onClose}
    />
  );
}

function obstaclesOf({ groups, apiTokens }: EnvironmentDetails, isOnly: boolean): string[] {
  const obstacles: string[] = [];
  if (isOnly) obstacles.push("It is the only environment: create another one first.");
  if (groups.count > 0) obstacles.push(`Delete its user groups first: it has ${countOf(groups)}.`);
  if (apiTokens > 0) obstacles.push(`Revoke its valid API tokens first: it has ${apiTokens}.`);
  return obstacles;
}
