import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { GET } from "@/app/api/admin/groups/[teamId]/route";
import { GroupPage } from "@/components/groups/group-page";
import { groupQuery } from "@/lib/groups/queries";
import { askAhead } from "@/lib/http/ahead";

export const metadata: Metadata = { title: "User group" };

export default async function Page({ params }: PageProps<"/[environment]/groups/[teamId]">) {
  const { environment, teamId } = await params;
  const group = await askAhead({
    queryKey: groupQuery(environment, teamId).queryKey,
    get: GET,
    environment,
    params: { teamId },
    pick: ({ group }: { group: unknown }) => group,
  });
  return (
    <HydrationBoundary state={group}>
      <GroupPage />
    </HydrationBoundary>
  );
}
