import { WebhookPage } from "@/components/webhooks/webhook-page";

export default function Page() {
  return <WebhookPage />;
}
