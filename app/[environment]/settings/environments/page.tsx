import { Breadcrumb } from "@/components/breadcrumb";
import { EnvironmentsPage } from "@/components/environments/environments-page";

export default function Page() {
  return (
    <>
      <Breadcrumb here="Environments" />
      <EnvironmentsPage />
    </>
  );
}
