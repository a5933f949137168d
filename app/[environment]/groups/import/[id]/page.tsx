import { ImportPage } from "@/components/imports/import-page";

export default function Page() {
  return <ImportPage />;
}
