import { useQuery } from "@tanstack/react-query";
import { chosenWebhooks, MadeWebhooks } from "@/components/api-tokens/made-webhooks";
import { nameOfScopes } from "@/components/api-tokens/presets";
import { Failure } from "@/components/failure";
import { RelativeTime } from "@/components/relative-time";
import { Checkbox } from "@/components/ui/checkbox";
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
      {data.apiTokens.length > 0 && <ApiTokens tokens={data.apiTokens} />}
      <MadeWebhooks webhooks={data.webhooks} />
      {data.links.length > 0 && <Links links={data.links} />}
    </section>
  );
}

function ApiTokens({ tokens }: { tokens: Made["apiTokens"] }) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 font-medium">
        {tokens.length === 1 ? "1 API token keeps working" : `${tokens.length} API tokens keep working`}
      </legend>
      <p className="text-text-muted text-xs">Programs may depend on them. Select the ones to revoke now.</p>
      <div className="flex max-h-48 flex-col gap-1 overflow-y-auto">
        {tokens.map(({ id, name, environment, scopes, lastUsedAt }) => (
          <label key={id} htmlFor={`revoke-${id}`} className="flex gap-2 rounded px-1 py-1 hover:bg-hover">
            <Checkbox id={`revoke-${id}`} name={FIELD} value={id} className="mt-0.5" />
            <span className="min-w-0 break-words">
              {name}
              <span className="block text-text-muted text-xs">
                {environment} · {nameOfScopes(scopes)} ·{" "}
                {lastUsedAt ? (
                  <>
                    last used <RelativeTime at={lastUsedAt} />
                  </>
                ) : (
                  "never used"
                )}
              </span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
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
