import { EnvironmentsPage } from "@/components/environments/environments-page";
import { Breadcrumb } from "@/components/shell/breadcrumb";

export default function Page() {
  return (
    <>
      <Breadcrumb here="Environments" />
      <EnvironmentsPage />
    </>
  );
}
