import { useQuery } from "@tanstack/react-query";
import { PageLink } from "@/components/page-link";
import { Notice } from "@/components/ui/notice";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { apiTokensQuery } from "@/lib/api-tokens/queries";

const STALE_MS = 600_000;
/** How many are named. */
const NAMED = 3;

/** Names API tokens of the environment that are about to expire, for owners and admins. */
export function ExpiringApiTokens() {
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  const { data } = useQuery({ ...apiTokensQuery(slug), enabled: canWrite, staleTime: STALE_MS });
  const expiring = (data ?? [])
    .flatMap(({ id, name, expiresInDays }) => (expiresInDays === null ? [] : [{ id, name, days: expiresInDays }]))
    .sort((a, b) => a.days - b.days);
  if (!canWrite || expiring.length === 0) return null;
  const more = expiring.length - NAMED;
  return (
    <section aria-label="Expiring API tokens" className="px-4 pt-4 sm:px-6">
      <Notice tone="warning">
        {expiring.slice(0, NAMED).map(({ id, name, days }) => (
          <p key={id}>
            The API token “{name}” expires in {days} {days === 1 ? "day" : "days"}.
          </p>
        ))}
        <p>
          {more > 0 && `${more} more ${more === 1 ? "expires" : "expire"} soon. `}
          Replace {expiring.length === 1 ? "it" : "them"} before then:{" "}
          <PageLink href={`/${slug}/settings/api-tokens`} className="underline">
            API tokens
          </PageLink>
        </p>
      </Notice>
    </section>
  );
}
