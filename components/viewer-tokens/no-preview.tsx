import { ActionDialog } from "@/components/confirm-dialog";
import { PageLink } from "@/components/page-link";
import { Button, buttonLook } from "@/components/ui/button";
import { DialogActions } from "@/components/ui/dialog";
import { useEnvironmentName, useEnvironmentSlug } from "@/components/use-environment";

/** Explains what View as needs. */
export function NoPreview({ onClose }: { onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const environment = useEnvironmentName();
  return (
    <ActionDialog
      onClose={onClose}
      title="No preview page yet"
      description={`“View as” opens a page of yours with a viewer token for the group. Set that page’s URL for ${environment} first.`}
    >
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <PageLink href={`/${slug}/settings/embedding`} className={buttonLook({ variant: "primary" })}>
          Set preview page
        </PageLink>
      </DialogActions>
    </ActionDialog>
  );
}
