import { Breadcrumb } from "@/components/breadcrumb";
import { JobPage } from "@/components/jobs/job-page";

export default function Page() {
  return (
    <>
      <Breadcrumb inGroups here="Import" />
      <JobPage />
    </>
  );
}
