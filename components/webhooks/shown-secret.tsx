import { CodeBlock } from "@/components/code-block";
import { SecretTextDialog } from "@/components/secret-dialog";
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
export function ShownSecret({ shown: { secret }, ...dialog }: ShownSecretProps) {
  return (
    <SecretTextDialog
      wide
      what="secret"
      secret={secret}
      advice="Copy it to your receiver’s secrets before you close this."
      redo="rotate it"
      {...dialog}
    >
      <div className="flex flex-col gap-1.5">
        <p className="font-medium">Check each delivery with it</p>
        <CodeBlock what="example" text={CHECK} />
        <p className="text-text-muted text-xs">
          Any Standard Webhooks library does this, in most languages. Verify the body as received, before you parse it.
        </p>
      </div>
    </SecretTextDialog>
  );
}
