"use client";

import { useQuery } from "@tanstack/react-query";
import { LatePanel } from "@/components/late-panel";
import { useHasRole } from "@/components/members/use-member";
import { onDemand } from "@/components/ui/on-demand";
import { lostWritesQuery } from "@/lib/lost-writes/queries";

const banner = onDemand(() => import("@/components/lost-writes/lost-writes-banner"));
const LostWritesBanner = banner.part("LostWritesBanner");

/** Tells owners what a failover of the database has lost, hardly ever: its text loads then. */
export function LostWrites() {
  const isOwner = useHasRole("owner");
  const { data } = useQuery({ ...lostWritesQuery, enabled: isOwner });
  if (!isOwner || !data || data.length === 0) return null;
  return (
    <section aria-label="Lost changes" className="px-4 pt-4 sm:px-6">
      <LatePanel of={banner}>
        <LostWritesBanner losses={data} />
      </LatePanel>
    </section>
  );
}
