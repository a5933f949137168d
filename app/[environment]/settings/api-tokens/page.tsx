import { ApiTokensPage } from "@/components/api-tokens/api-tokens-page";
import { Breadcrumb } from "@/components/breadcrumb";

export default function Page() {
  return (
    <>
      <Breadcrumb here="API tokens" />
      <ApiTokensPage />
    </>
  );
}
