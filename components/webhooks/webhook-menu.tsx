"use client";

import { Ellipsis, KeyRound, Pause, Pencil, Play, RotateCcw, Send, Trash } from "lucide-react";
import { useState } from "react";
import { Menu, MenuItem } from "@/components/ui/menu";
import { onDemand, together } from "@/components/ui/on-demand";
import { useSendTest } from "@/components/webhooks/use-send-test";
import { hostOf } from "@/components/webhooks/webhook-words";
import type { Webhook } from "@/lib/webhooks/schema";

const editing = onDemand(() => import("@/components/webhooks/edit-webhook"));
const replaying = onDemand(() => import("@/components/webhooks/replay-deliveries"));
export const webhookDialogs = onDemand(() => import("@/components/webhooks/webhook-dialogs"));
const dialogs = together(editing, replaying, webhookDialogs);
const DIALOGS = {
  edit: editing.part("EditWebhook"),
  enable: webhookDialogs.part("EnableWebhook"),
  disable: webhookDialogs.part("DisableWebhook"),
  replay: replaying.part("ReplayDeliveries"),
  rotate: webhookDialogs.part("RotateSecret"),
  delete: webhookDialogs.part("DeleteWebhook"),
};

/** What can be done with a webhook. A disabled one is sent nothing until it is enabled. */
export function WebhookMenu({ webhook, isOnItsPage = false }: { webhook: Webhook; isOnItsPage?: boolean }) {
  const [open, setOpen] = useState<keyof typeof DIALOGS>();
  const test = useSendTest(webhook);
  const Open = open && DIALOGS[open];
  return (
    <>
      <Menu
        align="end"
        needs={dialogs}
        button={{
          variant: isOnItsPage ? "secondary" : "ghost",
          size: isOnItsPage ? "icon" : "row",
          "aria-label": `Actions for ${hostOf(webhook)}`,
          children: <Ellipsis aria-hidden />,
        }}
      >
        {webhook.enabled ? (
          <>
            {!isOnItsPage && (
              <MenuItem onClick={() => test.run()}>
                <Send aria-hidden />
                Send test
              </MenuItem>
            )}
            <MenuItem onClick={() => setOpen("replay")}>
              <RotateCcw aria-hidden />
              Send again…
            </MenuItem>
          </>
        ) : (
          <MenuItem onClick={() => setOpen("enable")}>
            <Play aria-hidden />
            Enable…
          </MenuItem>
        )}
        <MenuItem onClick={() => setOpen("edit")}>
          <Pencil aria-hidden />
          Edit…
        </MenuItem>
        <MenuItem onClick={() => setOpen("rotate")}>
          <KeyRound aria-hidden />
          Rotate secret…
        </MenuItem>
        {webhook.enabled && (
          <MenuItem onClick={() => setOpen("disable")}>
            <Pause aria-hidden />
            Disable…
          </MenuItem>
        )}
        <MenuItem danger onClick={() => setOpen("delete")}>
          <Trash aria-hidden />
          Delete…
        </MenuItem>
      </Menu>
      {Open && <Open webhook={webhook} onClose={() => setOpen(undefined)} />}
    </>
  );
}
