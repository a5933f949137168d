import { useQuery } from "@tanstack/react-query";
import { chosenWebhooks, MadeList, MadeWebhooks } from "@/components/api-tokens/made-webhooks";
import { nameOfScopes } from "@/components/api-tokens/presets";
import { Failure } from "@/components/failure";
import { RelativeTime } from "@/components/relative-time";
import { Skeleton } from "@/components/ui/skeleton";
import { madeQuery } from "@/lib/members/queries";
import type { MadeByMember as Made } from "@/lib/members/schema";

const FIELD = "revokeApiTokens";

/** A member's working API tokens and webhooks, to end in the same step, and links that stop working anyway. */
export function MadeByMember({ memberId }: { memberId: string }) {
  const { data, error, isPending } = useQuery(madeQuery(memberId));
  if (isPending) return <Skeleton className="h-10 w-full" />;
  if (error) return <Failure title="Could not load what this member created" error={error} />;
  if ([data.apiTokens, data.webhooks, data.links].every(({ length }) => length === 0)) return null;
  return (
    <section aria-label="Created by this member" className="flex flex-col gap-3 rounded-md border border-border p-3">
      <ApiTokens tokens={data.apiTokens} />
      <MadeWebhooks webhooks={data.webhooks} />
      {data.links.length > 0 && <Links links={data.links} />}
    </section>
  );
}

function ApiTokens({ tokens }: { tokens: Made["apiTokens"] }) {
  return (
    <MadeList
      name={FIELD}
      title={tokens.length === 1 ? "1 API token keeps working" : `${tokens.length} API tokens keep working`}
      hint="Programs may depend on them. Select the ones to revoke now."
      items={tokens.map(({ id, name, environment, scopes, lastUsedAt }) => ({
        ...{ id, label: name },
        note: (
          <>
            {environment} · {nameOfScopes(scopes)} · {lastUsedAt ? "last used " : "never used"}
            {lastUsedAt && <RelativeTime at={lastUsedAt} />}
          </>
        ),
      }))}
    />
  );
}

function Links({ links }: { links: Made["links"] }) {
  return (
    <div className="flex flex-col gap-1">
      <p className="font-medium">
        {links.length === 1 ? "1 link stops working" : `${links.length} links stop working`}
      </p>
      <ul className="text-text-muted text-xs">
        {links.map(({ id, purpose, email }) => (
          <li key={id} className="break-words">
            {purpose === "invite" ? "Invitation for" : "New password for"} {email}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What was selected to end. */
export function chosenToEnd(fields: FormData) {
  return { revokeApiTokens: fields.getAll(FIELD).map(Number), disableWebhooks: chosenWebhooks(fields) };
}
