"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Failure } from "@/components/failure";
import { describeDevice } from "@/components/members/device";
import { RelativeTime } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { toast } from "@/components/ui/toast";
import { accountQuery, endSession, signOutEverywhere } from "@/lib/members/queries";
import type { Account } from "@/lib/members/schema";

type Session = Account["sessions"][number];

/** Where one is signed in, and the ways to end that. */
export function SessionList({ sessions }: { sessions: Session[] }) {
  const client = useQueryClient();
  const [asking, setAsking] = useState<"others" | "all">();
  const list = useRef<HTMLUListElement>(null);
  const readAgain = () => client.invalidateQueries({ queryKey: accountQuery.queryKey });
  const ending = useMutation({
    mutationFn: ({ id }: Session) => endSession(id),
    onSuccess: (_, { userAgent }) => {
      // The button that has the focus goes with its session.
      list.current?.focus();
      toast({ title: `The session of ${describeDevice(userAgent)} has ended` });
    },
    onError: ({ message }) => toast({ title: "The session was not ended", description: message }),
    // Refused as well: then it has ended meanwhile.
    onSettled: readAgain,
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
                {session.current && <span className="font-normal text-success text-xs">This one</span>}
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
                disabled={ending.isPending}
                aria-label={`End the session of ${describeDevice(session.userAgent)}`}
                onClick={() => ending.mutate(session)}
              >
                End
              </Button>
            )}
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        {sessions.length > 1 && <Button onClick={() => setAsking("others")}>Sign out all others</Button>}
        <Button onClick={() => setAsking("all")}>Sign out everywhere</Button>
      </div>
      {asking && <SignOutEverywhere others={asking === "others"} onClose={() => setAsking(undefined)} />}
    </div>
  );
}

function SignOutEverywhere({ others, onClose }: { others: boolean; onClose: () => void }) {
  const client = useQueryClient();
  const leaving = useMutation({
    mutationFn: () => signOutEverywhere({ others }),
    onSuccess: () => {
      if (!others) return leave();
      toast({ title: "All other sessions have ended" });
      onClose();
      return client.invalidateQueries({ queryKey: accountQuery.queryKey });
    },
  });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={others ? "Sign out all others?" : "Sign out everywhere?"}
      description={
        others
          ? "Every other browser has to sign in again, at once. This one goes on."
          : "Every browser has to sign in again, at once, this one too."
      }
    >
      {leaving.error && <Failure title="No session was ended" error={leaving.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="primary" onClick={() => leaving.mutate()} disabled={leaving.isPending}>
          {others ? "Sign out all others" : "Sign out everywhere"}
        </Button>
      </DialogActions>
    </Dialog>
  );

  function leave() {
    client.clear();
    window.location.assign("/sign-in");
  }
}
