import { CodeBlock } from "@/components/code-block";
import { SecretDialog } from "@/components/secret-dialog";
import { Notice } from "@/components/ui/notice";
import type { WebhookSecretAnswer } from "@/lib/webhooks/schema";

const CHECK = `import { Webhook } from "standardwebhooks";

const event = new Webhook(process.env.WEBHOOK_SECRET).verify(body, headers);`;

interface ShownSecretProps {
  shown: Pick<WebhookSecretAnswer, "secret">;
  title: string;
  description: string;
  onClose: () => void;
}

/** Shows a webhook's secret once, and how a receiver uses it. */
export function ShownSecret({ shown: { secret }, title, description, onClose }: ShownSecretProps) {
  return (
    <SecretDialog
      wide
      title={title}
      description={description}
      secret={secret}
      onClose={onClose}
      loses="The secret is shown only once. You have not copied it and would have to rotate it."
    >
      {/* Not the close button: a second Enter must not lose the secret. */}
      <CodeBlock what="secret" text={secret} isPlain autoFocus />
      <Notice tone="warning">
        <p>It is shown only once. Copy it to your receiver’s secrets before you close this.</p>
      </Notice>
      <div className="flex flex-col gap-1.5">
        <p className="font-medium">Check each delivery with it</p>
        <CodeBlock what="example" text={CHECK} />
        <p className="text-text-muted text-xs">
          Any Standard Webhooks library does this, in most languages. Verify the body as received, before you parse it.
        </p>
      </div>
    </SecretDialog>
  );
}
