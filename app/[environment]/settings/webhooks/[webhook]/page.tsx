export { WebhookPage as default } from "@/components/webhooks/webhook-page";
