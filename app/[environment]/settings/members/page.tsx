import { MembersPage } from "@/components/members/members-page";
import { Breadcrumb } from "@/components/shell/breadcrumb";

export default function Page() {
  return (
    <>
      <Breadcrumb here="Members" />
      <MembersPage />
    </>
  );
}
