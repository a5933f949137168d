"use client";

import { Ban, Ellipsis, Network, RefreshCw } from "lucide-react";
import { useState } from "react";
import { replacesItself } from "@/components/api-tokens/presets";
import { Menu, MenuItem } from "@/components/ui/menu";
import { onDemand, together } from "@/components/ui/on-demand";
import type { ApiToken } from "@/lib/api-tokens/schema";

const networks = onDemand(() => import("@/components/api-tokens/change-networks"));
const replacing = onDemand(() => import("@/components/api-tokens/replace-api-token"));
export const revoking = onDemand(() => import("@/components/api-tokens/revoke-api-token"));
const dialogs = together(networks, replacing, revoking);
export const RevokeApiToken = revoking.part("RevokeApiToken");
const DIALOGS = {
  networks: networks.part("ChangeNetworks"),
  replace: replacing.part("ReplaceApiToken"),
  revoke: RevokeApiToken,
};

/** What can be done with a valid API token. A replaced one can only be ended. */
export function ApiTokenMenu({ token }: { token: ApiToken }) {
  const [open, setOpen] = useState<keyof typeof DIALOGS>();
  const Open = open && DIALOGS[open];
  const isReplaced = token.replacedBy !== null;
  return (
    <>
      {token.state === "valid" && (
        <Menu
          align="end"
          needs={dialogs}
          button={{
            variant: "ghost",
            size: "row",
            "aria-label": `Actions for ${token.name}${isReplaced ? " (old value)" : ""}`,
            children: <Ellipsis aria-hidden />,
          }}
        >
          {!isReplaced && (
            <>
              <MenuItem onClick={() => setOpen("replace")}>
                <RefreshCw aria-hidden />
                Replace…
              </MenuItem>
              <MenuItem onClick={() => setOpen("networks")}>
                <Network aria-hidden />
                Networks…
              </MenuItem>
            </>
          )}
          <MenuItem danger onClick={() => setOpen("revoke")}>
            <Ban aria-hidden />
            {isReplaced && !replacesItself(token.scopes) ? "End old value…" : "Revoke…"}
          </MenuItem>
        </Menu>
      )}
      {Open && <Open token={token} onClose={() => setOpen(undefined)} />}
    </>
  );
}
