import { Chip } from "@/components/ui/chip";
import { Popover } from "@/components/ui/popover";
import type { ApiToken } from "@/lib/api-tokens/schema";
import { SCOPE_NAMES, SCOPE_WORDS } from "@/lib/authority/scope-words";
import type { Scope } from "@/lib/authority/scopes";

/** Scopes shown before "+ 3". */
const SHOWN = 3;

/** What a token can do and from where: the first of it, with the rest in a popover. */
export function Scopes({ token }: { token: ApiToken }) {
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
            ...{ variant: "ghost", size: "small" },
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
