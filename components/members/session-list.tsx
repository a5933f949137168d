import { useRef } from "react";
import { describeDevice } from "@/components/members/device";
import { RelativeTime } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { onDemand, useOpen } from "@/components/ui/on-demand";
import { useAction } from "@/components/use-action";
import { accountQuery, askToEndSession } from "@/lib/members/account-queries";
import type { Account } from "@/lib/members/schema";

const dialog = onDemand(() => import("@/components/members/sign-out-everywhere"));
const SignOutEverywhere = dialog.part("SignOutEverywhere");

type Session = Account["sessions"][number];

export function SessionList({ sessions }: { sessions: Session[] }) {
  const [asking, ask, close] = useOpen<"others" | "all">(dialog);
  const list = useRef<HTMLUListElement>(null);
  const ending = useAction({
    act: ({ id }: Session) => askToEndSession(id),
    wasDone: async ({ id }, read) => !(await read(accountQuery)).sessions.some((one) => one.id === id),
    undone: "The session is still active. Try again.",
    failed: "The session was not ended",
    isBare: true,
    done: ({ userAgent }) => ({ title: `The session in ${describeDevice(userAgent)} has ended` }),
    // The focused button goes with its session.
    onDone: () => list.current?.focus(),
    reads: [accountQuery.queryKey],
  });
  return (
    <div className="flex flex-col gap-3">
      <ul ref={list} tabIndex={-1} aria-label="Sessions" className="rounded-md border border-border bg-surface">
        {sessions.map((session) => (
          <li
            key={session.id}
            className="flex min-h-14 items-center justify-between gap-3 border-border border-b py-2 pr-2 pl-3 last:border-b-0"
          >
            <div className="min-w-0">
              <p className="flex flex-wrap items-center gap-x-2 font-medium">
                {describeDevice(session.userAgent)}
                {session.current && <span className="font-normal text-success text-xs">This session</span>}
              </p>
              <p className="break-words text-text-muted text-xs">
                Active <RelativeTime at={session.updatedAt} />
                {session.ipAddress && ` · ${session.ipAddress}`}
                {" · signed in "}
                <RelativeTime at={session.createdAt} />
              </p>
            </div>
            {!session.current && (
              <Button
                variant="ghost"
                disabled={ending.state !== "ready"}
                aria-label={`End the session in ${describeDevice(session.userAgent)}`}
                onClick={() => ending.run(session)}
              >
                End
              </Button>
            )}
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        {sessions.length > 1 && <Button onClick={() => ask("others")}>Sign out all others</Button>}
        <Button onClick={() => ask("all")}>Sign out everywhere</Button>
      </div>
      {asking && <SignOutEverywhere others={asking === "others"} onClose={close} />}
    </div>
  );
}
