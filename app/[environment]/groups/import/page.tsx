import { ImportStartPage } from "@/components/imports/import-start-page";

export default function Page() {
  return <ImportStartPage />;
}
