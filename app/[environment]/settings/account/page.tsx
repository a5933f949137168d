import { Breadcrumb } from "@/components/breadcrumb";
import { AccountPage } from "@/components/members/account-page";

export default function Page() {
  return (
    <>
      <Breadcrumb here="Your account" />
      <AccountPage />
    </>
  );
}
