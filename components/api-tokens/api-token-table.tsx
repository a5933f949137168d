"use client";

import { ApiTokenMenu } from "@/components/api-tokens/api-token-menu";
import { nameOfScopes } from "@/components/api-tokens/presets";
import { TokenState } from "@/components/api-tokens/token-state";
import { useCanWrite } from "@/components/members/use-member";
import { RelativeTime } from "@/components/relative-time";
import { Chip } from "@/components/ui/chip";
import { ActionCell, Cell, Table, TableRow } from "@/components/ui/table";
import type { ApiToken } from "@/lib/api-tokens/schema";
import { cn } from "@/lib/browser/class-name";
import { SCOPE_NAMES } from "@/lib/db/scope-words";
import type { Scope } from "@/lib/db/scopes";

const COLUMNS = [
  { name: "API token" },
  { name: "Can", className: "w-[32%]" },
  { name: "Last used", className: "w-32" },
  { name: "State", className: "w-44" },
];
/** Scopes shown before "+ 3". */
const SHOWN_SCOPES = 3;

/** Lists valid API tokens first. */
export function ApiTokenTable({ tokens }: { tokens: ApiToken[] | undefined }) {
  const canWrite = useCanWrite();
  const isValid = ({ state }: ApiToken) => state === "valid";
  const rows = tokens && [...tokens.filter(isValid), ...tokens.filter((token) => !isValid(token))];
  return (
    <Table
      label="API tokens"
      columns={COLUMNS}
      hasActions={canWrite}
      rows={rows?.map((token) => <ApiTokenRow key={token.id} token={token} canWrite={canWrite} />)}
    />
  );
}

function ApiTokenRow({ token, canWrite }: { token: ApiToken; canWrite: boolean }) {
  const { name, scopes, allowedNetworks, state, createdBy, maker, createdAt, lastUsedAt, refused } = token;
  const isValid = state === "valid";
  const preset = nameOfScopes(scopes);
  return (
    <TableRow>
      <Cell line className={cn("py-3 @max-4xl:py-0", canWrite && "@max-4xl:pr-10", !isValid && "text-text-muted")}>
        <span className="flex min-w-0 items-center gap-2">
          <span title={name} className="truncate font-medium">
            {name}
          </span>
          <Chip {...(isValid && { by: preset })}>{preset}</Chip>
        </span>
        <span title={createdBy} className="block whitespace-normal text-text-muted text-xs">
          Created <RelativeTime at={createdAt} /> by {createdBy}
          {(maker === "removed" || maker === "disabled") && (
            <span className={cn("whitespace-nowrap", isValid && "text-warning")}> ({maker})</span>
          )}
        </span>
        {refused && (
          <span className="block whitespace-normal text-warning text-xs">
            Refused {refused.count === 1 ? "once" : `${refused.count.toLocaleString("en")} times, last`} from{" "}
            {refused.from} <RelativeTime at={refused.at} />
          </span>
        )}
      </Cell>
      <Cell
        line
        title={[...scopes, ...allowedNetworks].join("\n")}
        className={cn("whitespace-normal py-2 @max-4xl:py-1", !isValid && "text-text-muted")}
      >
        <span className="flex flex-wrap items-center gap-1">
          {scopes.slice(0, SHOWN_SCOPES).map((scope) => (
            <Chip key={scope}>{SCOPE_NAMES[scope as Scope] ?? scope}</Chip>
          ))}
          {scopes.length > SHOWN_SCOPES && (
            <span className="text-text-muted text-xs">+ {scopes.length - SHOWN_SCOPES}</span>
          )}
          {allowedNetworks.length > 0 && (
            <span className="text-text-muted text-xs">
              from {allowedNetworks.length === 1 ? "1 network" : `${allowedNetworks.length} networks`}
            </span>
          )}
        </span>
      </Cell>
      <Cell label="Last used" className="text-text-secondary">
        {lastUsedAt ? <RelativeTime at={lastUsedAt} /> : <span className="@max-4xl:lowercase">Never</span>}
      </Cell>
      <Cell className="whitespace-normal">
        <TokenState token={token} />
        <Remaining token={token} />
      </Cell>
      <ActionCell>{canWrite && <ApiTokenMenu token={token} />}</ActionCell>
    </TableRow>
  );
}

/** How much of its time a valid token has left, as a bar. */
function Remaining({ token: { state, createdAt, expiresAt, expiresInDays } }: { token: ApiToken }) {
  if (state !== "valid" || !expiresAt) return null;
  const [start, end] = [Date.parse(createdAt), Date.parse(expiresAt)];
  const share = Math.min(1, Math.max(0, (end - Date.now()) / Math.max(1, end - start)));
  return (
    <svg aria-hidden viewBox="0 0 128 4" preserveAspectRatio="none" className="mt-1 h-1 w-32 max-w-full rounded-full">
      <rect width={128} height={4} className="fill-pressed" />
      <rect width={128 * share} height={4} className={expiresInDays === null ? "fill-spark" : "fill-production"} />
    </svg>
  );
}
