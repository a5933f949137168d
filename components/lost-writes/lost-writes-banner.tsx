"use client";

import { useState } from "react";
import { verbOf } from "@/components/activity/words";
import { AcceptLosses } from "@/components/lost-writes/accept-losses";
import { PageLink } from "@/components/page-link";
import { RelativeTime } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import type { Loss } from "@/lib/lost-writes/schema";

/** How many groups are named. */
const NAMED = 5;

const counted = (count: number, what: string) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;

/** What was lost, and what to do. */
export function LostWritesBanner({ losses }: { losses: Loss[] }) {
  const [isOpen, setOpen] = useState(false);
  const [first] = losses;
  const writes = losses.reduce((sum, loss) => sum + loss.writes, 0);
  const unchecked = losses.reduce((sum, loss) => sum + loss.unchecked, 0);
  const stops = losses.some((loss) => loss.stops);
  const action = (
    <Button onClick={() => setOpen(true)} aria-haspopup="dialog">
      {stops ? "Allow changes…" : "Dismiss…"}
    </Button>
  );
  return (
    <>
      <Notice
        tone="danger"
        title={`A database failover lost ${counted(writes, "confirmed change")}${stops ? ". Changes are stopped" : ""}`}
        action={action}
      >
        {first && (
          <p>
            Found <RelativeTime at={first.found_at} /> on {first.host}. The service had confirmed these changes, and the
            database no longer has them:
          </p>
        )}
        <Groups groups={losses.flatMap(({ groups }) => groups)} />
        {unchecked > 0 && <p>{counted(unchecked, "earlier change")} could not be checked, and may be lost too.</p>}
        <p>
          Make them again, or have your programs do it.{" "}
          {stops && "Until an owner allows changes, nothing can be changed; reads still work."}
        </p>
      </Notice>
      {isOpen && <AcceptLosses losses={losses} onClose={() => setOpen(false)} />}
    </>
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
