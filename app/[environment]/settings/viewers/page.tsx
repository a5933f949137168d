import { Breadcrumb } from "@/components/breadcrumb";
import { ViewersPage } from "@/components/viewer-tokens/viewers-page";

export default function Page() {
  return (
    <>
      <Breadcrumb here="Viewers" />
      <ViewersPage />
    </>
  );
}
