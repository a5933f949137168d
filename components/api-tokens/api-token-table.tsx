"use client";

import { Ban } from "lucide-react";
import { useState } from "react";
import { nameOfScopes } from "@/components/api-tokens/presets";
import { RevokeApiToken } from "@/components/api-tokens/revoke-api-token";
import { TokenState } from "@/components/api-tokens/token-state";
import { useCanWrite } from "@/components/members/use-member";
import { RelativeTime } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { ActionCell, Cell, Table, TableRow } from "@/components/ui/table";
import type { ApiToken } from "@/lib/api-tokens/schema";
import { cn } from "@/lib/browser/class-name";

const COLUMNS = [
  { name: "Name" },
  { name: "Access", className: "w-30" },
  { name: "State", className: "w-44" },
  { name: "Created", className: "w-[24%]" },
  { name: "Last used", className: "w-34" },
];

/** Lists valid API tokens first. */
export function ApiTokenTable({ tokens }: { tokens: ApiToken[] | undefined }) {
  const canWrite = useCanWrite();
  const [revoking, setRevoking] = useState<ApiToken>();
  const isValid = ({ state }: ApiToken) => state === "valid";
  const rows = tokens && [...tokens.filter(isValid), ...tokens.filter((token) => !isValid(token))];
  return (
    <>
      <Table
        label="API tokens"
        columns={COLUMNS}
        hasActions={canWrite}
        rows={rows?.map((token) => (
          <ApiTokenRow key={token.id} token={token} onRevoke={canWrite ? () => setRevoking(token) : undefined} />
        ))}
      />
      {revoking && <RevokeApiToken token={revoking} onClose={() => setRevoking(undefined)} />}
    </>
  );
}

function ApiTokenRow({ token, onRevoke }: { token: ApiToken; onRevoke: (() => void) | undefined }) {
  const { name, scopes, state, createdBy, maker, createdAt, lastUsedAt } = token;
  return (
    <TableRow>
      <Cell
        line
        title={name}
        className={cn("font-medium", onRevoke && "@max-4xl:pr-10", state !== "valid" && "text-text-muted")}
      >
        {name}
      </Cell>
      <Cell className={cn(state !== "valid" && "text-text-muted")}>{nameOfScopes(scopes)}</Cell>
      <Cell>
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
      <ActionCell>
        {onRevoke && state === "valid" && (
          <Button variant="ghost" size="row" aria-label={`Revoke ${name}`} title="Revoke…" onClick={onRevoke}>
            <Ban aria-hidden />
          </Button>
        )}
      </ActionCell>
    </TableRow>
  );
}
