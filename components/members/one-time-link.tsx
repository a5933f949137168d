import { CopyButton } from "@/components/copy-button";
import { SecretDialog } from "@/components/secret-dialog";
import { Notice } from "@/components/ui/notice";

interface OneTimeLinkProps {
  link: string;
  title: string;
  description: string;
  onClose: () => void;
}

/** Shows a one-time link once. */
export function OneTimeLink({ link, title, description, onClose }: OneTimeLinkProps) {
  return (
    <SecretDialog
      title={title}
      description={description}
      onClose={onClose}
      secret={link}
      loses="The link is shown only once. You have not copied it and would have to create another."
    >
      <div className="flex items-center gap-1 rounded-md border border-border bg-sunken py-1 pr-1 pl-2">
        <code className="min-w-0 flex-1 break-all font-mono text-xs">{link}</code>
        {/* Not the close button: a second Enter must not lose the link. */}
        <CopyButton what="link" text={link} autoFocus />
      </div>
      <Notice tone="warning">
        <p>It is shown only once. Send it privately: the first person to open it can use it.</p>
      </Notice>
    </SecretDialog>
  );
}
