import { Breadcrumb } from "@/components/breadcrumb";
import { DeletedGroupsPage } from "@/components/groups/deleted-groups-page";

export default function Page() {
  return (
    <>
      <Breadcrumb inGroups here="Recently deleted" />
      <DeletedGroupsPage />
    </>
  );
}
