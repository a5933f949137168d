import type { Metadata } from "next";
import { NewGroupPage } from "@/components/groups/new-group-page";

export const metadata: Metadata = { title: "New user group" };

export default function Page() {
  return <NewGroupPage />;
}
