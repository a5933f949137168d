export { WebhooksPage as default } from "@/components/webhooks/webhooks-page";
