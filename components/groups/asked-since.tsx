import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { RelativeTime } from "@/components/relative-time";
import { timeFormat, useZone } from "@/components/ui/time-zone";
import { useEnvironmentSlug } from "@/components/use-environment";
import { apiTokensQuery } from "@/lib/api-tokens/queries";
import type { ListedApiToken } from "@/lib/api-tokens/schema";

/** How often the API tokens are read, in milliseconds: as often as their last use is stored. */
const POLL_MS = 10_000;
/** Within this span, a time of day is unambiguous without its day. */
const TODAY_MS = 12 * 3_600_000;

const clock = timeFormat({ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });

/** The valid API tokens that asked or polled, each with the last time, earliest first. */
function renderersIn(tokens: ListedApiToken[] = []) {
  return tokens
    .flatMap(({ id, name, state, askedAt, polledAt }) => {
      const [at, verb] = (askedAt ?? "") > (polledAt ?? "") ? [askedAt, "asked"] : [polledAt, "polled"];
      return state === "valid" && at ? [{ id, name, verb, at }] : [];
    })
    .sort((one, other) => (one.at < other.at ? -1 : 1));
}

/** Which renderers have asked or polled since the group was suspended or its token rotated, and which have not. */
export function AskedSince({ at: since }: { at: string }) {
  const { data } = useQuery({ ...apiTokensQuery(useEnvironmentSlug()), refetchInterval: POLL_MS });
  const zone = useZone();
  const renderers = renderersIn(data);
  if (renderers.length === 0) return null;
  return (
    <p className="w-full min-w-0 text-text-secondary">
      {renderers.map(({ id, name, verb, at }, index) => (
        <Fragment key={id}>
          {index > 0 && "; "}
          <span className="break-words font-medium text-text">{name}</span> {at < since && "last "}
          {verb}{" "}
          {zone && Date.now() - Date.parse(at) < TODAY_MS ? (
            <>
              at <RelativeTime at={at}>{clock.format(new Date(at))}</RelativeTime>
            </>
          ) : (
            <RelativeTime at={at} />
          )}
          {at < since && ", but not since"}
        </Fragment>
      ))}
      .
    </p>
  );
}
