import { DeletedGroupsPage } from "@/components/groups/deleted-groups-page";
import { Breadcrumb } from "@/components/shell/breadcrumb";

export default function Page() {
  return (
    <>
      <Breadcrumb inGroups here="Recently deleted" />
      <DeletedGroupsPage />
    </>
  );
}
