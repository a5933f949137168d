import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { PageLink } from "@/components/page-link";
import { tokenIn } from "@/components/pasted-token";
import { DayAndTime, RelativeTime } from "@/components/relative-time";
import { useEnvironmentSlug, useSlugs } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { cn } from "@/lib/browser/class-name";
import { findByToken } from "@/lib/groups/token-queries";
import type { FoundToken } from "@/lib/groups/token-schema";

/** Identifies a token, below the box it was pasted into. */
export function FoundByToken({ text }: { text: string }) {
  return (
    <div
      className={cn(
        "absolute top-full right-0 left-0 z-20 mt-1 animate-appear break-words rounded-md border border-border",
        "bg-raised p-3 shadow-popup",
      )}
    >
      <WhoseToken text={text} />
    </div>
  );
}

interface WhoseTokenProps {
  /** pasted or typed text with a token or a part of one */
  text: string;
  /** called on opening the group */
  onGo?: (() => void) | undefined;
}

/** Identifies a token. It is sent in a request body and stored nowhere. */
export function WhoseToken({ text, onGo }: WhoseTokenProps) {
  const token = tokenIn(text);
  const canWrite = useCanWrite();
  return (
    <div role="status">
      {!canWrite ? (
        <p className="text-text-muted">Readers cannot search by token.</p>
      ) : token ? (
        <Search key={token} token={token} onGo={onGo} />
      ) : (
        <p className="text-text-muted">Paste a whole user group token: ugt_ and 49 characters.</p>
      )}
    </div>
  );
}

function Search({ token, onGo }: Pick<WhoseTokenProps, "onGo"> & { token: string }) {
  const slug = useEnvironmentSlug();
  const slugs = useSlugs();
  // An id in the query key: the cache must not hold the token.
  const id = useId();
  const { data, error } = useQuery({
    queryKey: ["find-by-token", slug, id],
    queryFn: ({ signal }) => findByToken(slugs, token, signal),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (error) return <p className="text-danger">{error.message}</p>;
  if (!data) return <p className="text-text-muted">Looking for the token…</p>;
  return <Result found={data} onGo={onGo} />;
}

function Result({ found, onGo }: Pick<WhoseTokenProps, "onGo"> & { found: FoundToken }) {
  switch (found.found) {
    case "current":
      return (
        <p>
          The current token of <GroupLink group={found.user_group} onGo={onGo} />.
        </p>
      );
    case "previous":
      return (
        <p>
          The old token of <GroupLink group={found.user_group} onGo={onGo} />, which works until{" "}
          <DayAndTime at={found.valid_until} />.
        </p>
      );
    case "rotated":
      return (
        <p>
          Rotated <RelativeTime at={found.at} /> by {found.by.name}. It belonged to{" "}
          {found.user_group.exists ? (
            <GroupLink group={found.user_group} onGo={onGo} />
          ) : (
            `${nameOf(found.user_group)}, now deleted`
          )}
          .
        </p>
      );
    case "deleted":
      return (
        <p>
          It belonged to {nameOf(found.user_group)}, which {found.by.name} deleted <RelativeTime at={found.at} />.
        </p>
      );
    default:
      return (
        <p>
          No user group has this token now. Tokens rotated before the last change of the secret key cannot be traced.
        </p>
      );
  }
}

/** Erased groups have no name. */
function nameOf({ name }: { name: string | null }): string {
  return name === null ? "an erased user group" : `“${name}”`;
}

interface GroupLinkProps extends Pick<WhoseTokenProps, "onGo"> {
  group: { team_id: number; name: string | null; environment: { slug: string; name: string } };
}

function GroupLink({ group: { team_id: teamId, name, environment }, onGo }: GroupLinkProps) {
  const slug = useEnvironmentSlug();
  return (
    <>
      <PageLink
        href={`/${environment.slug}/groups/${teamId}`}
        onClick={() => onGo?.()}
        className="font-medium text-link"
      >
        {name}
      </PageLink>
      {environment.slug !== slug && ` in ${environment.name}`}
    </>
  );
}
