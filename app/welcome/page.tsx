import { WelcomePage } from "@/components/members/welcome-page";

export default function Page() {
  return <WelcomePage />;
}
