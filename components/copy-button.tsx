"use client";

import { Check, Copy } from "lucide-react";
import { useContext, useEffect, useState } from "react";
import { SecretCopied } from "@/components/secret-copied";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";

interface CopyButtonProps {
  /** what is copied, "id" for one; it names the button and is announced, the text itself never is */
  what: string;
  /** the text, or what fetches it */
  text: string | (() => Promise<string>);
  /** words beside the icon */
  children?: string;
  size?: "row" | "icon";
  /** in a dialog: it takes the focus when that opens */
  autoFocus?: boolean;
}

/** Copies a text and says so. */
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
        description: `${reason} Your clipboard holds what it held before.`,
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
 * Puts a text on the clipboard. On plain http, where browsers offer no clipboard to scripts, by a selection.
 * @throws when the browser refuses
 */
export async function copyText(source: string | Promise<string>) {
  // Asked in the click itself: once the text has been fetched, some browsers take it for no wish of the user's any more.
  if (navigator.clipboard && typeof source !== "string" && "ClipboardItem" in window) {
    const blob = source.then((text) => new Blob([text], { type: "text/plain" }));
    return navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
  }
  const text = await source;
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Inside the topmost dialog, whose focus trap would take the selection away from an element outside it.
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
