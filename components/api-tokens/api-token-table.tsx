"use client";

import { ApiTokenMenu } from "@/components/api-tokens/api-token-menu";
import { nameOfScopes } from "@/components/api-tokens/presets";
import { TokenState } from "@/components/api-tokens/token-state";
import { useCanWrite } from "@/components/members/use-member";
import { RelativeTime } from "@/components/relative-time";
import { ActionCell, Cell, Table, TableRow } from "@/components/ui/table";
import type { ApiToken } from "@/lib/api-tokens/schema";
import { cn } from "@/lib/browser/class-name";

const COLUMNS = [
  { name: "Name" },
  { name: "Access", className: "w-30" },
  { name: "State", className: "w-52" },
  { name: "Created", className: "w-[24%]" },
  { name: "Last used", className: "w-34" },
];

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
  return (
    <TableRow>
      <Cell
        line
        title={name}
        className={cn("font-medium", canWrite && "@max-4xl:pr-10", state !== "valid" && "text-text-muted")}
      >
        {name}
        {refused && (
          <span className="block whitespace-normal font-normal text-warning text-xs">
            Refused {refused.count === 1 ? "once" : `${refused.count.toLocaleString("en")} times, last`} from{" "}
            {refused.from} <RelativeTime at={refused.at} />
          </span>
        )}
      </Cell>
      <Cell title={[...scopes, ...allowedNetworks].join("\n")} className={cn(state !== "valid" && "text-text-muted")}>
        {nameOfScopes(scopes)}
        {allowedNetworks.length > 0 && (
          <span className="block text-text-muted text-xs">
            {allowedNetworks.length === 1 ? "1 network" : `${allowedNetworks.length} networks`}
          </span>
        )}
      </Cell>
      <Cell className="whitespace-normal">
        <TokenState token={token} />
      </Cell>
      <Cell label="Created" title={createdBy} className="text-text-muted @max-4xl:whitespace-normal">
        <RelativeTime at={createdAt} /> by {createdBy}
        {(maker === "removed" || maker === "disabled") && (
          <span className={cn("whitespace-nowrap", state === "valid" && "text-warning")}> ({maker})</span>
        )}
      </Cell>
      <Cell label="Last used" className="text-text-muted">
        {lastUsedAt ? <RelativeTime at={lastUsedAt} /> : <span className="@max-4xl:lowercase">Never</span>}
      </Cell>
      <ActionCell>{canWrite && <ApiTokenMenu token={token} />}</ActionCell>
    </TableRow>
  );
}
