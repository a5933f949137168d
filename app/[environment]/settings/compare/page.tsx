import { ComparePage } from "@/components/comparison/compare-page";
import { Breadcrumb } from "@/components/shell/breadcrumb";

export default function Page() {
  return (
    <>
      <Breadcrumb here="Compare" />
      <ComparePage />
    </>
  );
}
