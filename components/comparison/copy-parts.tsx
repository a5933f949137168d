"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { ActionButtons } from "@/components/action-buttons";
import type { Compared } from "@/components/comparison/compare-page";
import { Legend, PartDifference } from "@/components/comparison/part-difference";
import { isAlike, placeOf, wordsFor } from "@/components/comparison/part-words";
import { ActionDialog } from "@/components/confirm-dialog";
import { EnforcementEffect } from "@/components/definitions/enforcement-effect";
import { Failure } from "@/components/failure";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { useAction } from "@/components/use-action";
import { ShownSecret } from "@/components/webhooks/shown-secret";
import { hostOf } from "@/components/webhooks/webhook-words";
import { activityKey } from "@/lib/audit/queries";
import { ApiError } from "@/lib/browser/api-client";
import { askToCopyParts, type ComparedPart, comparisonKey, fetchComparedParts } from "@/lib/comparison/queries";
import type { CopyAnswer } from "@/lib/comparison/schema";
import { definitionsKey } from "@/lib/definitions/queries";
import { environmentsKey } from "@/lib/environments/queries";
import { viewersKey } from "@/lib/viewer-tokens/queries";
import { webhooksKey } from "@/lib/webhooks/queries";

interface CopyPartsProps extends Compared {
  /** as they were compared: what is shown is what is copied */
  parts: ComparedPart[];
  onClose: () => void;
  onCopied: () => void;
}

/** Shows what copying changes, copies all of it or nothing, and shows the secrets of new webhooks once. */
export function CopyParts({ here, there, parts, onClose, onCopied }: CopyPartsProps) {
  const client = useQueryClient();
  const [seen, setSeen] = useState(0);
  const newWebhooks = parts.filter((part) => placeOf(part) === "here").length;
  const readAgain = () => {
    const { slug } = there;
    const keys = [
      comparisonKey(here.slug),
      comparisonKey(slug),
      definitionsKey(slug),
      viewersKey(slug),
      webhooksKey(slug),
    ];
    return Promise.all(
      [...keys, activityKey(slug), environmentsKey].map((queryKey) => client.invalidateQueries({ queryKey })),
    );
  };
  const lost = { title: "New webhooks were copied", description: "Their secrets cannot be shown again: rotate them." };
  const copy = useAction<void, CopyAnswer>({
    act: () =>
      askToCopyParts(here.slug, { to: there.slug, parts: parts.map(({ name, tag }) => ({ name, tag: tag ?? "" })) }),
    wasDone: async () => {
      const now = new Map((await fetchComparedParts(here.slug, there.slug)).map((part) => [part.name, part]));
      return parts.every(({ name }) => {
        const part = now.get(name);
        return part !== undefined && isAlike(part);
      });
    },
    undone: `Nothing was copied to ${there.name}. Try again.`,
    failed: "Nothing was copied",
    done: (_, answer) => ({
      title: `Copied to ${there.name}`,
      ...(!answer && newWebhooks > 0 && { description: lost.description }),
    }),
    ...(newWebhooks > 0 && { unseen: lost }),
    onDone: async (answer) => {
      onCopied();
      await readAgain();
      if (!answer || answer.webhooks.length === 0) onClose();
    },
    onFailed: readAgain,
  });
  const secrets = copy.answer?.webhooks ?? [];
  const shown = secrets[seen];
  if (shown) {
    return (
      <ShownSecret
        key={shown.id}
        shown={shown}
        title={secrets.length > 1 ? `Secret ${seen + 1} of ${secrets.length}` : "The webhook’s secret"}
        description={`The webhook to ${hostOf(shown)} is in ${there.name}, disabled. Give its receiver this secret, then enable it under Webhooks.`}
        onClose={() => (seen + 1 < secrets.length ? setSeen(seen + 1) : onClose())}
      />
    );
  }
  const isStale = copy.error instanceof ApiError && copy.error.code === "stale";
  return (
    <ActionDialog
      wide
      action={copy}
      environment={there}
      title={`Copy ${parts.length === 1 ? "this" : `these ${parts.length} parts`} to ${there.name}?`}
      description={`Everything is copied, or nothing if a part has changed since. ${here.name} stays as it is.`}
      onClose={onClose}
    >
      <Legend here={here} there={there} />
      {parts.map((part) => (
        <Chosen key={part.name} part={part} here={here} there={there} />
      ))}
      {newWebhooks > 0 && (
        <Notice
          title={newWebhooks === 1 ? "The new webhook is disabled at first" : "The new webhooks are disabled at first"}
        >
          <p>
            It sends to an address of {here.name}: check it before you enable it. It gets a new secret, shown once, and
            the address without its query, which may hold a secret.
          </p>
        </Notice>
      )}
      {copy.error &&
        (isStale ? (
          <Notice
            tone="warning"
            role="alert"
            title="Something changed in the meantime"
            action={<Button onClick={onClose}>Compare again</Button>}
          >
            <p>{copy.error.message}</p>
          </Notice>
        ) : (
          <Failure title={copy.failed} error={copy.error} />
        ))}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          copy.run();
        }}
        className="flex flex-col gap-4"
      >
        <ActionButtons
          action={copy}
          verb={`Copy to ${there.name}`}
          doing="Copying…"
          disabled={isStale}
          onClose={onClose}
        />
      </form>
    </ActionDialog>
  );
}

function Chosen({ part, here, there }: Compared & { part: ComparedPart }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3">
      <h3 id={id} className="break-words font-medium">
        {wordsFor(part).title}
      </h3>
      <PartDifference part={part} here={here} there={there} />
      {part.name === "definitions" && <EnforcementEffect before={part.there} after={part.here} />}
    </section>
  );
}
