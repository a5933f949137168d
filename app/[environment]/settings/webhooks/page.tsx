import { Breadcrumb } from "@/components/breadcrumb";
import { WebhooksPage } from "@/components/webhooks/webhooks-page";

export default function Page() {
  return (
    <>
      <Breadcrumb here="Webhooks" />
      <WebhooksPage />
    </>
  );
}
