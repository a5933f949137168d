import { ApiTokensPage } from "@/components/api-tokens/api-tokens-page";

export default function Page() {
  return <ApiTokensPage />;
}
