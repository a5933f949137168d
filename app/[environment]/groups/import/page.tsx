import { ImportStartPage } from "@/components/jobs/import-start-page";
import { Breadcrumb } from "@/components/shell/breadcrumb";

export default function Page() {
  return (
    <>
      <Breadcrumb inGroups here="Import" />
      <ImportStartPage />
    </>
  );
}
