import { useQuery } from "@tanstack/react-query";
import { RelativeTime } from "@/components/relative-time";
import { UseMark } from "@/components/ui/use-mark";
import { useEnvironmentSlug } from "@/components/use-environment";
import { adviceFor, CONDITION_MARKS, conditionOf, outcomeOf } from "@/components/webhooks/webhook-words";
import { cn } from "@/lib/browser/class-name";
import { deliveriesQuery } from "@/lib/webhooks/queries";
import type { Webhook } from "@/lib/webhooks/schema";

/** Whether a webhook works, and what to do if it does not. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  return (
    <div className="flex items-start gap-2">
      <UseMark use={CONDITION_MARKS[conditionOf(webhook)]} className="mt-1.5" />
      <div className="min-w-0">
        <Words webhook={webhook} />
      </div>
    </div>
  );
}

function Words({ webhook }: { webhook: Webhook }) {
  const { health, disabled_at: disabledAt, disabled_reason: reason } = webhook;
  switch (conditionOf(webhook)) {
    case "works":
      return <p>Works</p>;
    case "unused":
      return (
        <>
          <p>Nothing delivered yet</p>
          <Hint>Send a test to try it.</Hint>
        </>
      );
    case "failing":
      return (
        <>
          <p className="text-warning">Failing</p>
          <Hint>
            <LastFailure webhook={webhook} />
            {health.failing_since && (
              <>
                Its failures began <RelativeTime at={health.failing_since} />; it will be disabled after five days
                without a success.
              </>
            )}
            {health.next_attempt_at && (
              <>
                {" "}
                Next attempt <RelativeTime at={health.next_attempt_at} />.
              </>
            )}
          </Hint>
        </>
      );
    case "disabled":
    case "stopped":
      return (
        <>
          <p className={cn(reason !== "asked" && "text-danger")}>
            Disabled {disabledAt && <RelativeTime at={disabledAt} />}
          </p>
          <Hint>{WHY[reason ?? "asked"]}</Hint>
        </>
      );
  }
}

/** Why the newest failed delivery failed, if the webhook's page has loaded the deliveries; else where to look. */
function LastFailure({ webhook: { id } }: { webhook: Webhook }) {
  const { data } = useQuery({ ...deliveriesQuery(useEnvironmentSlug(), { webhookId: id }), enabled: false });
  const attempt = data?.deliveries.flatMap(({ attempts }) => attempts.at(-1) ?? []).find(({ error }) => error !== null);
  return attempt ? `${outcomeOf(attempt)}. ${adviceFor(attempt)} ` : "See its deliveries for the cause. ";
}

const WHY = {
  gone: "The receiver answered 410: it wants no more events. Change the URL, then enable the webhook, or delete it.",
  failing: "No delivery has succeeded for five days. Repair the receiver, then enable the webhook.",
  asked: "A member or program disabled it. Nothing is sent until it is enabled.",
};

function Hint({ children }: { children: React.ReactNode }) {
  return <p className="whitespace-normal text-text-muted text-xs">{children}</p>;
}
