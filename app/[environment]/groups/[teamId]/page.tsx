import type { Metadata } from "next";
import { GroupPage } from "@/components/groups/group-page";

export const metadata: Metadata = { title: "User group" };

export default function Page() {
  return <GroupPage />;
}
