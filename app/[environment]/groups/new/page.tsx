import { NewGroupPage } from "@/components/groups/new-group-page";

export default function Page() {
  return <NewGroupPage />;
}
