import { Breadcrumb } from "@/components/breadcrumb";
import { ImportStartPage } from "@/components/jobs/import-start-page";

export default function Page() {
  return (
    <>
      <Breadcrumb inGroups here="Import" />
      <ImportStartPage />
    </>
  );
}
