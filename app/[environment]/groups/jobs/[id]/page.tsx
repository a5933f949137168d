import { JobPage } from "@/components/jobs/job-page";
import { Breadcrumb } from "@/components/shell/breadcrumb";

export default function Page() {
  return (
    <>
      <Breadcrumb inGroups here="Import" />
      <JobPage />
    </>
  );
}
