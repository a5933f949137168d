import { Ellipsis, KeyRound, Pause, Pencil, Play, RotateCcw, Send, Trash } from "lucide-react";
import { useState } from "react";
import { Menu, MenuItems } from "@/components/ui/menu";
import { onDemand } from "@/components/ui/on-demand";
import { useSendTest } from "@/components/webhooks/use-webhooks";
import { hostOf } from "@/components/webhooks/webhook-words";
import type { Webhook } from "@/lib/webhooks/schema";

export const webhookDialogs = onDemand(() => import("@/components/webhooks/webhook-dialogs"));
export const EnableWebhook = webhookDialogs.part("EnableWebhook");
const DIALOGS = {
  edit: webhookDialogs.part("EditWebhook"),
  enable: EnableWebhook,
  disable: webhookDialogs.part("DisableWebhook"),
  replay: webhookDialogs.part("ReplayDeliveries"),
  rotate: webhookDialogs.part("RotateSecret"),
  delete: webhookDialogs.part("DeleteWebhook"),
};

/** Actions on a webhook. A disabled webhook gets nothing until it is enabled. */
export function WebhookMenu({ webhook, isOnItsPage = false }: { webhook: Webhook; isOnItsPage?: boolean }) {
  const [open, setOpen] = useState<keyof typeof DIALOGS>();
  const { enabled } = webhook;
  const test = useSendTest(webhook);
  const Open = open && DIALOGS[open];
  return (
    <>
      <Menu
        align="end"
        needs={webhookDialogs}
        button={{
          icon: Ellipsis,
          variant: isOnItsPage ? "secondary" : "ghost",
          size: isOnItsPage ? "icon" : "row",
          "aria-label": `Actions for ${hostOf(webhook)}`,
        }}
      >
        <MenuItems
          items={[
            enabled && !isOnItsPage && { label: "Send test", icon: Send, run: test.run },
            enabled && { label: "Send again…", icon: RotateCcw, run: () => setOpen("replay") },
            !enabled && { label: "Enable…", icon: Play, run: () => setOpen("enable") },
            { label: "Edit…", icon: Pencil, run: () => setOpen("edit") },
            { label: "Rotate secret…", icon: KeyRound, run: () => setOpen("rotate") },
            enabled && { label: "Disable…", icon: Pause, run: () => setOpen("disable") },
            { label: "Delete…", icon: Trash, danger: true, run: () => setOpen("delete") },
          ]}
        />
      </Menu>
      {Open && <Open webhook={webhook} onClose={() => setOpen(undefined)} />}
    </>
  );
}
