import { EnvironmentsPage } from "@/components/environments/environments-page";

export default function Page() {
  return <EnvironmentsPage />;
}
