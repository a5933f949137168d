"use client";

import { Check, Copy } from "lucide-react";
import { useContext, useEffect, useState } from "react";
import { SecretCopied } from "@/components/secret-copied";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";

interface CopyButtonProps {
  /** names the button and is announced, such as "id"; the text itself never is */
  what: string;
  /** the text, or how to fetch it */
  text: string | (() => Promise<string>);
  /** label next to the icon */
  children?: string;
  size?: "row" | "icon";
  /** takes the focus when its dialog opens */
  autoFocus?: boolean;
}

export function CopyButton({ what, text, children, size = "row", autoFocus = false }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  const onCopied = useContext(SecretCopied);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      const source = typeof text === "string" ? text : text();
      await copyText(source);
      setCopied(true);
      onCopied(await source);
    } catch (error) {
      setCopied(false);
      const reason = error instanceof Error ? error.message : "";
      toast({
        title: `The ${what} was not copied`,
        description: `${reason} Your clipboard is unchanged.`,
      });
    }
  };
  const Icon = copied ? Check : Copy;
  return (
    <>
      <Button
        onClick={copy}
        data-first={autoFocus || undefined}
        variant={children ? "secondary" : "ghost"}
        size={children ? "text" : size}
        aria-label={children ? undefined : `Copy ${what}`}
        title={children ? undefined : `Copy ${what}`}
      >
        <Icon aria-hidden />
        {children}
      </Button>
      <span role="status" className="sr-only">
        {copied ? `Copied ${what}` : ""}
      </span>
    </>
  );
}

/**
 * Copies a text; on plain http, where browsers have no clipboard API, through a selection.
 * @throws when the browser refuses
 */
export async function copyText(source: string | Promise<string>) {
  // Called within the click: after a fetch, some browsers no longer count it as the user's wish.
  if (navigator.clipboard && typeof source !== "string" && "ClipboardItem" in window) {
    const blob = source.then((text) => new Blob([text], { type: "text/plain" }));
    return navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
  }
  const text = await source;
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Inside the topmost dialog: its focus trap would clear a selection elsewhere.
  const place = [...document.querySelectorAll('[role="dialog"], [role="alertdialog"]')].at(-1) ?? document.body;
  const focused = document.activeElement;
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "sr-only";
  place.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  if (!done) throw new Error("The browser refused. Select the text and copy it by hand.");
}
