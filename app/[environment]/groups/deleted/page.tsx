import { DeletedGroupsPage } from "@/components/groups/deleted-groups-page";

export default function Page() {
  return <DeletedGroupsPage />;
}
