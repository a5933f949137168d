import { Breadcrumb } from "@/components/breadcrumb";
import { MembersPage } from "@/components/members/members-page";

export default function Page() {
  return (
    <>
      <Breadcrumb here="Members" />
      <MembersPage />
    </>
  );
}
