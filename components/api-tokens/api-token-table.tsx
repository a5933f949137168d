import { Ban, Ellipsis, Network, RefreshCw } from "lucide-react";
import { nameOfScopes, replacesItself } from "@/components/api-tokens/presets";
import { daysUnused, TokenCalls } from "@/components/api-tokens/token-calls";
import { ExactTime } from "@/components/exact-time";
import { RelativeTime } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { Chip } from "@/components/ui/chip";
import { Menu, MenuItems } from "@/components/ui/menu";
import { onDemand, useOpen } from "@/components/ui/on-demand";
import { Popover } from "@/components/ui/popover";
import { Bar } from "@/components/ui/progress";
import { ActionCell, Cell, Table, TableRow } from "@/components/ui/table";
import { useCanWrite } from "@/components/use-member";
import type { ApiToken, ListedApiToken } from "@/lib/api-tokens/schema";
import { SCOPE_NAMES, SCOPE_WORDS } from "@/lib/authority/scope-words";
import type { Scope } from "@/lib/authority/scopes";
import { cn } from "@/lib/browser/class-name";

const COLUMNS = [
  { name: "API token" },
  { name: "Can", className: "w-[29%]" },
  { name: "Calls", className: "w-44" },
  { name: "State", className: "w-44" },
];

/** Lists valid API tokens first. */
export function ApiTokenTable({ tokens }: { tokens: ListedApiToken[] | undefined }) {
  const canWrite = useCanWrite();
  const isValid = ({ state }: ListedApiToken) => state === "valid";
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

function ApiTokenRow({ token, canWrite }: { token: ListedApiToken; canWrite: boolean }) {
  const { name, hint, scopes, state, createdBy, maker, createdAt, refused } = token;
  const isValid = state === "valid";
  const isUnused = daysUnused(token) !== undefined;
  const preset = nameOfScopes(scopes);
  const [open, show, close] = useOpen<keyof typeof DIALOGS>(apiTokenDialogs);
  const Open = open && DIALOGS[open];
  return (
    <TableRow>
      <Cell line className={cn("py-3 @max-4xl:py-0", canWrite && "@max-4xl:pr-10", !isValid && "text-text-muted")}>
        <span className="flex min-w-0 items-center gap-2">
          <span title={name} className="truncate font-medium">
            {name}
          </span>
          <Chip {...(isValid && { by: preset })}>{preset}</Chip>
        </span>
        {hint && <code className="block truncate font-mono text-text-muted text-xs">{hint}</code>}
        <span title={createdBy} className="block whitespace-normal text-text-muted text-xs">
          Created <RelativeTime at={createdAt} /> {byWhom(createdBy)}
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
      <Cell line className={cn("whitespace-normal py-2 @max-4xl:py-1", !isValid && "text-text-muted")}>
        <Scopes token={token} />
      </Cell>
      <Cell className="whitespace-normal py-2 text-text-secondary @max-4xl:py-1">
        <TokenCalls token={token} />
      </Cell>
      <Cell label="State" className="whitespace-normal py-2 @max-4xl:w-full @max-4xl:py-1">
        <TokenState token={token} />
        <Remaining token={token} />
        {isUnused && canWrite && (
          <Button size="small" onClick={() => show("revoke")} className="mt-1.5 text-danger!">
            Revoke…<span className="sr-only"> {name}</span>
          </Button>
        )}
      </Cell>
      <ActionCell>
        {canWrite && isValid && <ApiTokenMenu token={token} onOpen={show} />}
        {Open && <Open token={token} onClose={close} />}
      </ActionCell>
    </TableRow>
  );
}

/** "by Ada Keller", "on the command line (root)" */
function byWhom(author: string): string {
  const [, operator] = /^command line: (.*)$/.exec(author) ?? [];
  return operator === undefined ? `by ${author}` : `on the command line (${operator})`;
}

/** How much of a valid token's lifetime is left, as a bar. */
function Remaining({ token: { state, createdAt, expiresAt, expiresInDays } }: { token: ListedApiToken }) {
  if (state !== "valid" || !expiresAt) return null;
  const [start, end] = [Date.parse(createdAt), Date.parse(expiresAt)];
  const share = Math.min(1, Math.max(0, (end - Date.now()) / Math.max(1, end - start)));
  const color = expiresInDays === null ? "text-spark" : "text-production";
  return <Bar aria-hidden value={share} className={cn("mt-1.5 h-1 w-32 max-w-full", color)} />;
}

const DAY_MS = 86_400_000;

/** Valid, expiring, expired or revoked, and when. */
function TokenState({ token }: { token: ApiToken }) {
  const { state, expiresAt, revokedAt, replacedBy, expiresInDays } = token;
  if (revokedAt) return <Past words="Revoked" at={revokedAt} />;
  if (!expiresAt) return "Valid";
  if (state === "expired") return <Past words={replacedBy === null ? "Expired" : "Old value, ended"} at={expiresAt} />;
  if (replacedBy !== null) {
    return (
      <>
        Old value, valid until <ExactTime at={expiresAt} />
      </>
    );
  }
  const days = Math.ceil((Date.parse(expiresAt) - Date.now()) / DAY_MS);
  return (
    <span className={cn(expiresInDays !== null && "text-warning")}>
      Expires {days > 1 ? <RelativeTime at={expiresAt}>in {days} days</RelativeTime> : <RelativeTime at={expiresAt} />}
    </span>
  );
}

function Past({ words, at }: { words: string; at: string }) {
  return (
    <span className={words === "Expired" ? "text-danger" : "text-text-muted"}>
      {words} <RelativeTime at={at} />
    </span>
  );
}

const apiTokenDialogs = onDemand(() => import("@/components/api-tokens/api-token-dialogs"));
const DIALOGS = {
  networks: apiTokenDialogs.part("ChangeNetworks"),
  replace: apiTokenDialogs.part("ReplaceApiToken"),
  revoke: apiTokenDialogs.part("RevokeApiToken"),
};

interface ApiTokenMenuProps {
  token: ApiToken;
  onOpen: (open: keyof typeof DIALOGS) => void;
}

/** What can be done with a valid API token. A replaced one can only be ended. */
function ApiTokenMenu({ token: { name, scopes, replacedBy }, onOpen }: ApiTokenMenuProps) {
  const isReplaced = replacedBy !== null;
  const end = isReplaced && !replacesItself(scopes) ? "End old value…" : "Revoke…";
  return (
    <Menu
      align="end"
      needs={apiTokenDialogs}
      button={{
        icon: Ellipsis,
        variant: "ghost",
        size: "row",
        "aria-label": `Actions for ${name}${isReplaced ? " (old value)" : ""}`,
      }}
    >
      <MenuItems
        items={[
          !isReplaced && { label: "Replace…", icon: RefreshCw, run: () => onOpen("replace") },
          !isReplaced && { label: "Networks…", icon: Network, run: () => onOpen("networks") },
          { label: end, icon: Ban, danger: true, run: () => onOpen("revoke") },
        ]}
      />
    </Menu>
  );
}

/** Scopes shown before "+ 3". */
const SHOWN = 3;

/** A token's scopes and networks: the first scopes, with the rest in a popover. */
function Scopes({ token }: { token: ApiToken }) {
  const { name, scopes, allowedNetworks } = token;
  const networks = allowedNetworks.length;
  const rest = scopes.length - SHOWN;
  return (
    <div className="flex flex-wrap items-center gap-1">
      {scopes.slice(0, SHOWN).map((scope) => (
        <Chip key={scope}>{nameOf(scope)}</Chip>
      ))}
      {(rest > 0 || networks > 0) && (
        <Popover
          title={`What ${name} can do`}
          button={{
            variant: "ghost",
            size: "small",
            className: "h-5! px-1! font-normal! text-text-muted!",
            children: (
              <>
                {rest > 0 && `+ ${rest}`}
                {rest > 0 && networks > 0 && " "}
                {networks > 0 && `from ${networks === 1 ? "1 network" : `${networks} networks`}`}
                <span className="sr-only">: what {name} can do</span>
              </>
            ),
          }}
        >
          {() => (
            <div className="flex flex-col gap-2.5">
              <dl className="flex flex-col gap-2">
                {scopes.map((scope) => (
                  <div key={scope}>
                    <dt className="font-mono text-xs">{scope}</dt>
                    <dd className="text-text-muted text-xs">{SCOPE_WORDS[scope as Scope]}</dd>
                  </div>
                ))}
              </dl>
              {networks > 0 && (
                <div className="border-border border-t pt-2.5">
                  <p className="text-text-muted text-xs">Only from</p>
                  <ul className="font-mono text-xs">
                    {allowedNetworks.map((network) => (
                      <li key={network} className="break-all">
                        {network}
                      </li>
                    ))}
                  </ul>
                </div>
              )}
            </div>
          )}
        </Popover>
      )}
    </div>
  );
}

function nameOf(scope: string): string {
  return SCOPE_NAMES[scope as Scope] ?? scope;
}
