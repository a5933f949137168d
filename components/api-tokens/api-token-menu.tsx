import { Ban, Ellipsis, Network, RefreshCw } from "lucide-react";
import { useState } from "react";
import { replacesItself } from "@/components/api-tokens/presets";
import { Menu, MenuItems } from "@/components/ui/menu";
import { onDemand } from "@/components/ui/on-demand";
import type { ApiToken } from "@/lib/api-tokens/schema";

export const apiTokenDialogs = onDemand(() => import("@/components/api-tokens/api-token-dialogs"));
export const RevokeApiToken = apiTokenDialogs.part("RevokeApiToken");
const DIALOGS = {
  networks: apiTokenDialogs.part("ChangeNetworks"),
  replace: apiTokenDialogs.part("ReplaceApiToken"),
  revoke: RevokeApiToken,
};

/** What can be done with a valid API token. A replaced one can only be ended. */
export function ApiTokenMenu({ token }: { token: ApiToken }) {
  const [open, setOpen] = useState<keyof typeof DIALOGS>();
  const Open = open && DIALOGS[open];
  const isReplaced = token.replacedBy !== null;
  const end = isReplaced && !replacesItself(token.scopes) ? "End old value…" : "Revoke…";
  const name = `${token.name}${isReplaced ? " (old value)" : ""}`;
  return (
    <>
      {token.state === "valid" && (
        <Menu
          align="end"
          needs={apiTokenDialogs}
          button={{ icon: Ellipsis, variant: "ghost", size: "row", "aria-label": `Actions for ${name}` }}
        >
          <MenuItems
            items={[
              !isReplaced && { label: "Replace…", icon: RefreshCw, run: () => setOpen("replace") },
              !isReplaced && { label: "Networks…", icon: Network, run: () => setOpen("networks") },
              { label: end, icon: Ban, danger: true, run: () => setOpen("revoke") },
            ]}
          />
        </Menu>
      )}
      {Open && <Open token={token} onClose={() => setOpen(undefined)} />}
    </>
  );
}
