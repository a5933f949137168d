"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { tokenIn } from "@/components/groups/pasted-token";
import { useCanWrite } from "@/components/members/use-member";
import { PageLink } from "@/components/page-link";
import { RelativeTime } from "@/components/relative-time";
import { announce } from "@/components/ui/announcer";
import { findByToken } from "@/lib/groups/queries";
import type { FoundToken } from "@/lib/groups/schema";

interface FoundByTokenProps {
  /** what was pasted or typed, which holds a token or its beginning */
  text: string;
  /** once one goes to the group */
  onGo?: () => void;
}

/** Whose token a text holds, under the box it was pasted into. */
export function FoundByToken({ text }: FoundByTokenProps) {
  return (
    <div className="absolute top-full right-0 left-0 z-20 mt-1 animate-appear break-words rounded-md border border-border bg-surface p-3 shadow-lg">
      <WhoseToken text={text} />
    </div>
  );
}

/** Whose token a text holds. The token goes in the body of a request and is kept nowhere. */
export function WhoseToken({ text, onGo }: FoundByTokenProps) {
  const token = tokenIn(text);
  const canWrite = useCanWrite();
  return (
    <Spoken>
      {!canWrite ? (
        <p className="text-text-muted">Viewers do not search by token.</p>
      ) : token ? (
        <Search key={token} token={token} onGo={onGo} />
      ) : (
        <p className="text-text-muted">This looks like a token that is not whole yet: paste all of it.</p>
      )}
    </Spoken>
  );
}

/** Has what is inside announced whenever it becomes something else. */
function Spoken({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current: element } = place;
    if (!element) return;
    const speak = () => announce(element.textContent);
    speak();
    const changes = new MutationObserver(speak);
    changes.observe(element, { childList: true });
    return () => changes.disconnect();
  }, []);
  return <div ref={place}>{children}</div>;
}

let searches = 0;

function Search({ token, onGo }: { token: string; onGo: FoundByTokenProps["onGo"] }) {
  const slug = useEnvironmentSlug();
  // A number stands for the token in the cache, which must not hold it.
  const [number] = useState(() => searches++);
  const { data, error } = useQuery({
    queryKey: ["find-by-token", slug, number],
    queryFn: ({ signal }) => findByToken(slug, token, signal),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (error) return <p className="text-danger">{error.message}</p>;
  if (!data) return <p className="text-text-muted">Looking for the token…</p>;
  return <Result found={data} token={token} onGo={onGo} />;
}

interface ResultProps {
  found: FoundToken;
  token: string;
  onGo: FoundByTokenProps["onGo"];
}

function Result({ found, token, onGo }: ResultProps) {
  switch (found.found) {
    case "current":
      return (
        <p>
          The current token of <GroupLink group={found.group} environment={found.group.environment} onGo={onGo} />.
        </p>
      );
    case "id":
      return (
        <p>
          The user group with this id:{" "}
          <GroupLink group={found.group} environment={found.group.environment} onGo={onGo} />.
        </p>
      );
    case "rotated":
      return (
        <p>
          Rotated away <RelativeTime at={found.at} /> by {found.by.name}. It was of{" "}
          {found.group.exists && found.group.environment ? (
            <GroupLink group={found.group} environment={found.group.environment} onGo={onGo} />
          ) : (
            `“${found.group.name}”, which is gone`
          )}
          .
        </p>
      );
    case "deleted":
      return (
        <p>
          It was of “{found.group.name}”, which {found.by.name} deleted <RelativeTime at={found.at} />.
        </p>
      );
    case "api_token":
      return (
        <p>
          This is the API token “{found.name}” of {found.environment.name} ({found.state}), not the token of a user
          group.
        </p>
      );
    case "mistyped":
      return <p>This is no token: a character is missing or mistyped.</p>;
    default:
      return (
        <p>
          No user group has this {token.startsWith("ug") ? "token" : "token or id"} now. Tokens rotated before the last
          change of the secret key cannot be traced.
        </p>
      );
  }
}

interface GroupLinkProps {
  group: { teamId: number; name: string };
  environment: { slug: string; name: string };
  onGo: FoundByTokenProps["onGo"];
}

function GroupLink({ group, environment, onGo }: GroupLinkProps) {
  const slug = useEnvironmentSlug();
  return (
    <>
      <PageLink
        href={`/${environment.slug}/groups/${group.teamId}`}
        onClick={() => onGo?.()}
        className="rounded-sm font-medium text-accent underline underline-offset-2"
      >
        {group.name}
      </PageLink>
      {environment.slug !== slug && ` in ${environment.name}`}
    </>
  );
}
