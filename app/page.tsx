import { StartPage } from "@/components/start-page";

export default function Page() {
  return <StartPage />;
}
