import { AccountPage } from "@/components/members/account-page";

export default function Page() {
  return <AccountPage />;
}
