import { AccountPage } from "@/components/members/account-page";
import { Breadcrumb } from "@/components/shell/breadcrumb";

export default function Page() {
  return (
    <>
      <Breadcrumb here="Your account" />
      <AccountPage />
    </>
  );
}
