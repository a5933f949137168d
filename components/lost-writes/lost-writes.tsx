"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { verbOf } from "@/components/activity/words";
import { useHasRole } from "@/components/members/use-member";
import { PageLink } from "@/components/page-link";
import { RelativeTime } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { onDemand } from "@/components/ui/on-demand";
import { lostWritesQuery } from "@/lib/lost-writes/queries";
import type { Loss } from "@/lib/lost-writes/schema";

const dialogs = onDemand(() => import("@/components/lost-writes/accept-losses"));
const AcceptLosses = dialogs.part("AcceptLosses");

/** How many groups are named. */
const NAMED = 5;

const counted = (count: number, what: string) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;

/** Tells owners what a failover of the database has lost. */
export function LostWrites() {
  const isOwner = useHasRole("owner");
  const { data } = useQuery({ ...lostWritesQuery, enabled: isOwner });
  const [isOpen, setOpen] = useState(false);
  const [first] = data ?? [];
  if (!isOwner || !data || !first) return null;
  const writes = data.reduce((sum, loss) => sum + loss.writes, 0);
  const unchecked = data.reduce((sum, loss) => sum + loss.unchecked, 0);
  const stops = data.some((loss) => loss.stops);
  const open = async () => setOpen(await dialogs.loadOrTell());
  const action = (
    <Button onClick={open} aria-haspopup="dialog">
      {stops ? "Allow changes…" : "Dismiss…"}
    </Button>
  );
  return (
    <section aria-label="Lost changes" className="px-4 pt-4 sm:px-6">
      <Notice
        tone="danger"
        title={`A database failover lost ${counted(writes, "confirmed change")}${stops ? ". Changes are stopped" : ""}`}
        action={action}
      >
        <p>
          Found <RelativeTime at={first.found_at} /> on {first.host}. The service had confirmed these changes, and the
          database no longer has them:
        </p>
        <Groups groups={data.flatMap(({ groups }) => groups)} />
        {unchecked > 0 && <p>{counted(unchecked, "earlier change")} could not be checked, and may be lost too.</p>}
        <p>
          Make them again, or have your programs do it.{" "}
          {stops && "Until an owner allows changes, nothing can be changed; reads still work."}
        </p>
      </Notice>
      {isOpen && <AcceptLosses losses={data} onClose={() => setOpen(false)} />}
    </section>
  );
}

function Groups({ groups }: { groups: Loss["groups"] }) {
  const more = groups.length - NAMED;
  return (
    <ul className="list-disc pl-4">
      {groups.slice(0, NAMED).map(({ environment, team_id, user_group_id, actions }) => {
        const name = user_group_id ?? `group ${team_id}`;
        const isThere = environment !== null && !actions.includes("user_group.created");
        return (
          <li key={team_id}>
            {isThere ? (
              <PageLink href={`/${environment}/groups/${team_id}`} className="underline">
                {name}
              </PageLink>
            ) : (
              name
            )}
            : {actions.map((action) => verbOf(action).toLowerCase()).join(", ")}
            {environment && <span className="text-text-muted"> in {environment}</span>}
          </li>
        );
      })}
      {more > 0 && <li>and {counted(more, "more group")}: Activity and the log have their numbers</li>}
    </ul>
  );
}
