import { ImportPage } from "@/components/imports/import-page";
import { Breadcrumb } from "@/components/shell/breadcrumb";

export default function Page() {
  return (
    <>
      <Breadcrumb inGroups here="Import" />
      <ImportPage />
    </>
  );
}
