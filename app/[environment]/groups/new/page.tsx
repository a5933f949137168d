import { NewGroupPage } from "@/components/groups/new-group-page";
import { Breadcrumb } from "@/components/shell/breadcrumb";

export default function Page() {
  return (
    <>
      <Breadcrumb inGroups here="New user group" />
      <NewGroupPage />
    </>
  );
}
