"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { ConfirmText } from "@/components/confirm-text";
import { CopyButton } from "@/components/copy-button";
import { EnvironmentMark } from "@/components/environments/environment-mark";
import { useEnvironment, useEnvironmentSlug } from "@/components/environments/use-environment";
import { Snippets } from "@/components/groups/snippets";
import { RelativeTime } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";
import { toast } from "@/components/ui/toast";
import { useAction } from "@/components/use-action";
import { ApiError } from "@/lib/browser/api-client";
import type { Group } from "@/lib/groups/queries";
import { askToRotateToken, groupQuery, groupsKey } from "@/lib/groups/queries";

/** What came of it: the new token, or somebody else's rotation that came before. */
type Outcome = { token: string } | { rotatedBefore: Group };

/** Asks before a token is rotated, then shows the new one with the configurations it goes into. */
export function RotateToken({ group, onClose }: { group: Group; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const environment = useEnvironment();
  const client = useQueryClient();
  // The token in question is the one that was current when this opened.
  const [held] = useState(group);
  const [typed, setTyped] = useState("");
  const query = { ...groupQuery(slug, String(held.teamId)), staleTime: 0 };
  const read = async () => (await client.fetchQuery(query)).group;
  const close = () => {
    onClose();
    // Not before: what reads the group again would take the new token off the screen.
    void client.invalidateQueries({ queryKey: groupsKey(slug) });
  };
  const rotation = useAction({
    act: async (): Promise<Outcome> => {
      try {
        return { token: await askToRotateToken(slug, held) };
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "stale") throw error;
        const then = await read();
        if (then.rotatedAt !== held.rotatedAt) return { rotatedBefore: then };
        // Not its token was changed, but something else about it.
        return { token: await askToRotateToken(slug, then) };
      }
    },
    wasDone: async () => (await read()).rotatedAt !== held.rotatedAt,
    undone: "The token is still the one it was. Try again.",
    failed: "The token was not rotated",
    unseen: {
      title: `The token of “${held.name}” was rotated`,
      description: "Reveal the new one on the page of the group.",
    },
    onDone: (outcome) => {
      if (outcome) return;
      const description = "The answer was lost on its way: reveal the new token on the page of the group.";
      toast({ title: `The token of “${held.name}” was rotated`, description, timeout: 0 });
      close();
    },
  });
  const isProduction = environment?.tag === "Customer";
  if (rotation.answer && "token" in rotation.answer) {
    return <NewToken group={held} token={rotation.answer.token} onClose={close} />;
  }
  if (rotation.answer) return <AlreadyRotated group={rotation.answer.rotatedBefore} onClose={close} />;
  return (
    <ConfirmDialog
      action={rotation}
      title={`Rotate the token of “${held.name}”?`}
      description="The current token stops working at once. Every dashboard embedded with it no longer knows who is viewing, until it gets the new one."
      verb="Rotate token"
      doing="Rotating…"
      danger
      disabled={!environment || (isProduction && typed !== held.providedId)}
      onClose={close}
    >
      {environment && <EnvironmentMark environment={environment} />}
      {isProduction && <ConfirmText expected={held.providedId} value={typed} onChange={setTyped} />}
    </ConfirmDialog>
  );
}

function NewToken({ group, token, onClose }: { group: Group; token: string; onClose: () => void }) {
  return (
    <Dialog open wide onOpenChange={(open) => !open && onClose()} title="The token was rotated">
      <Notice tone="success" role="status">
        <p>The old token of “{group.name}” has stopped. This is the new one; put it wherever the old one was.</p>
      </Notice>
      <div className="flex items-center gap-1 rounded-md border border-border bg-background py-1 pr-1 pl-2">
        <code className="min-w-0 flex-1 break-all font-mono text-xs">{token}</code>
        <CopyButton what="new token" text={token} />
      </div>
      <Snippets group={group} token={token} copy={async () => token} />
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function AlreadyRotated({ group, onClose }: { group: Group; onClose: () => void }) {
  const { rotatedBy, rotatedAt } = group;
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="Already rotated">
      <Notice tone="warning" role="alert">
        <p>
          Already rotated by {rotatedBy?.name ?? "somebody else"} <RelativeTime at={rotatedAt} />. Nothing was changed
          now: the token you had on the screen has stopped, and theirs is the current one.
        </p>
      </Notice>
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          Show the current state
        </Button>
      </DialogActions>
    </Dialog>
  );
}
