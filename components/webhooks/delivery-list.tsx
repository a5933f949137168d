import { useQuery } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import { parseAsStringLiteral, useQueryStates } from "nuqs";
import { useId, useState } from "react";
import { CodeBlock } from "@/components/code-block";
import { Failure } from "@/components/failure";
import { isAboutFields } from "@/components/form-issues";
import { OLDER, OlderPages } from "@/components/older-pages";
import { PageLink } from "@/components/page-link";
import { DayAndTime, RelativeTime } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { Segmented } from "@/components/ui/segmented";
import { Skeleton } from "@/components/ui/skeleton";
import { UseMark } from "@/components/ui/use-mark";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useWebhookAction } from "@/components/webhooks/use-webhooks";
import {
  adviceFor,
  type DeliveryAttempt,
  lengthOf,
  outcomeOf,
  STATE_MARKS,
  STATE_WORDS,
} from "@/components/webhooks/webhook-words";
import { cn } from "@/lib/browser/class-name";
import { DELIVERY_STATES } from "@/lib/webhooks/facts";
import { askToReplay, deliveriesQuery } from "@/lib/webhooks/queries";
import type { Delivery, Webhook } from "@/lib/webhooks/schema";

const PARSERS = { state: parseAsStringLiteral(["all", ...DELIVERY_STATES]).withDefault("all"), older: OLDER };
const OPTIONS = [
  { value: "all" as const, label: "All" },
  ...DELIVERY_STATES.map((value) => ({ value, label: STATE_WORDS[value] })),
];

/** A webhook's deliveries, newest first. */
export function DeliveryList({ webhook }: { webhook: Webhook }) {
  const slug = useEnvironmentSlug();
  const [{ state, older }, set] = useQueryStates(PARSERS, { history: "push" });
  const filters = { webhookId: webhook.id, state: state === "all" ? undefined : state, cursor: older.at(-1) };
  const { data, error, isPlaceholderData, refetch } = useQuery(deliveriesQuery(slug, filters));
  const isCursorStale = error !== null && isAboutFields(error, ["cursor"]);
  return (
    <section aria-labelledby="deliveries" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id="deliveries" className="font-semibold text-base">
          Deliveries
        </h2>
        <Segmented
          label="State of the deliveries"
          value={state}
          onChange={(value) => void set({ state: value, older: null })}
          options={OPTIONS}
        />
      </div>
      {error && !data && !isCursorStale ? (
        <Failure title="The deliveries could not be loaded" error={error} onRetry={refetch} />
      ) : !data ? (
        <Skeleton className="h-40 rounded-xl" />
      ) : data.deliveries.length === 0 ? (
        <p className="rounded-xl border border-border px-4 py-8 text-center text-text-muted">
          {state === "all" ? "No deliveries yet. Each is kept for 14 days." : `Nothing ${state} in the last 14 days.`}
        </p>
      ) : (
        <ul
          aria-label="Deliveries"
          aria-busy={isPlaceholderData}
          className={cn(
            "overflow-hidden rounded-xl border border-border transition-opacity duration-120",
            isPlaceholderData && "opacity-60 delay-150",
          )}
        >
          {data.deliveries.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} webhook={webhook} />
          ))}
        </ul>
      )}
      <OlderPages
        label="Delivery pages"
        older={older}
        next={isPlaceholderData ? older.at(-1) : data?.next_cursor}
        isStale={isCursorStale}
        onTurn={(older, options) => set({ older }, options)}
      />
    </section>
  );
}

interface DeliveryRowProps {
  delivery: Delivery;
  webhook: Webhook;
}

/** A delivery, which expands to its attempts and its body. */
function DeliveryRow({ delivery, webhook }: DeliveryRowProps) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const { type, state, attempts, created_at: at } = delivery;
  const last = attempts.at(-1);
  return (
    <li className={cn("border-border border-b last:border-b-0", open && "bg-sunken")}>
      <div
        className={cn(
          "relative grid min-h-10 grid-cols-[6.5rem_minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-2",
          "transition-colors hover:bg-hover max-sm:grid-cols-[minmax(0,1fr)_auto]",
        )}
      >
        <span className="inline-flex items-center gap-2">
          <UseMark use={STATE_MARKS[state]} />
          {STATE_WORDS[state]}
        </span>
        <span className="min-w-0 max-sm:order-last max-sm:col-span-2">
          <button
            type="button"
            aria-expanded={open}
            aria-controls={open ? id : undefined}
            onClick={() => setOpen(!open)}
            className="covers-row max-w-full break-all text-left font-mono text-xs"
          >
            {type}
          </button>
          <span className="ml-2 text-text-muted text-xs">
            {last ? summaryOf(attempts.length, last) : "not sent yet"}
          </span>
        </span>
        {/* Above the row's button, so it can be hovered. */}
        <span className="relative text-right text-text-muted tabular-nums">
          <RelativeTime at={at} isShort />
        </span>
      </div>
      {open && (
        <div id={id} className="flex flex-col gap-4 px-4 pt-1 pb-4">
          <Details delivery={delivery} webhook={webhook} />
        </div>
      )}
    </li>
  );
}

function summaryOf(count: number, last: DeliveryAttempt): string {
  const outcome = last.error === null ? `${outcomeOf(last)} in ${lengthOf(last)}` : outcomeOf(last);
  return count > 1 ? `${outcome}, attempt ${count}` : outcome;
}

function Details({ delivery, webhook }: DeliveryRowProps) {
  const slug = useEnvironmentSlug();
  const { attempts, body, message_id: messageId, team_id: teamId, next_attempt_at: next } = delivery;
  return (
    <>
      <div className="flex flex-col gap-1.5">
        <h3 className="font-medium text-xs">Body, as it was sent</h3>
        <CodeBlock what="body" text={body} />
        <dl className="flex flex-wrap gap-x-6 gap-y-1 text-text-muted text-xs">
          <div className="flex min-w-0 gap-1.5">
            <dt className="whitespace-nowrap">webhook-id</dt>
            <dd className="min-w-0 break-all font-mono text-text">{messageId}</dd>
          </div>
          {teamId !== null && (
            <div className="flex gap-1.5">
              <dt>Team</dt>
              <dd>
                <PageLink
                  href={`/${slug}/groups/${teamId}`}
                  className="rounded-sm text-text tabular-nums underline underline-offset-2"
                >
                  {teamId}
                </PageLink>
              </dd>
            </div>
          )}
        </dl>
      </div>
      <div className="flex flex-col gap-1.5">
        <h3 className="font-medium text-xs">Attempts</h3>
        {attempts.length === 0 && <p className="text-text-muted">None yet.</p>}
        <ol className="flex flex-col">
          {attempts.map((attempt) => (
            <AttemptLine key={attempt.at} attempt={attempt} />
          ))}
        </ol>
        {next && attempts.length > 0 && (
          <p className="text-text-muted text-xs">
            Next attempt <RelativeTime at={next} />
          </p>
        )}
      </div>
      {webhook.enabled && <SendAgain delivery={delivery} />}
    </>
  );
}

function AttemptLine({ attempt }: { attempt: DeliveryAttempt }) {
  const advice = adviceFor(attempt);
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 border-border border-b py-1 last:border-b-0">
      <span className={cn("min-w-0", attempt.error !== null && "text-danger")}>{outcomeOf(attempt)}</span>
      <span className="text-text-muted text-xs tabular-nums">{lengthOf(attempt)}</span>
      {advice && <span className="min-w-0 text-text-muted text-xs">{advice}</span>}
      <span className="ml-auto text-text-muted text-xs">
        <DayAndTime at={attempt.at} />
      </span>
    </li>
  );
}

function SendAgain({ delivery: { id, webhook_id: webhookId } }: { delivery: Delivery }) {
  const { run, state } = useWebhookAction<void, number | null>(webhookId, {
    act: (slug) => askToReplay(slug, webhookId, { delivery_id: id }),
    wasDone: undefined,
    failed: "The delivery was not sent again",
    isBare: true,
    done: () => ({ title: "The delivery is being sent again" }),
  });
  return (
    <div>
      <Button icon={RotateCcw} size="small" disabled={state !== "ready"} onClick={() => run()}>
        Send again
      </Button>
    </div>
  );
}
