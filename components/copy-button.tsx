import { Check, Copy } from "lucide-react";
import { useContext } from "react";
import { SecretCopied } from "@/components/secret-copied";
import { announce } from "@/components/ui/announcer";
import { Button, type ButtonProps } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import { useBriefly } from "@/components/use-briefly";
import { cn } from "@/lib/browser/class-name";

/** How long a button says that it has copied, in milliseconds. */
export const SAID_MS = 1_600;

/** The text, or how to fetch it. */
type Source = string | (() => Promise<string>);

interface CopyButtonProps {
  /** names the button and is announced, such as "id"; the text itself never is */
  what: string;
  text: Source;
  /** label next to the icon */
  children?: string;
  variant?: ButtonProps["variant"];
  size?: "row" | "icon";
  className?: string;
  /** takes the focus when its dialog opens */
  autoFocus?: boolean;
}

export function CopyButton(props: CopyButtonProps) {
  const { what, text, children, variant, size = "row", className, autoFocus = false } = props;
  const { copied, copy } = useCopy(what);
  return (
    <Button
      onClick={() => copy(text)}
      data-first={autoFocus || undefined}
      variant={variant ?? (children ? "secondary" : "ghost")}
      size={children ? "text" : size}
      className={className}
      aria-label={children ? undefined : `Copy ${what}`}
      title={children ? undefined : `Copy ${what}`}
    >
      <CopyIcon copied={copied} />
      {children && <CopyLabel copied={copied}>{children}</CopyLabel>}
    </Button>
  );
}

/** Copies, says so for a moment, and shows a toast if it could not. */
export function useCopy(what: string) {
  const [copied = false, setCopied] = useBriefly<true>(SAID_MS);
  const onSecret = useContext(SecretCopied);
  const copy = async (text: Source) => {
    try {
      const source = typeof text === "string" ? text : text();
      await copyText(source);
      setCopied(true);
      announce(`Copied ${what}`);
      onSecret(await source);
    } catch (error) {
      setCopied(undefined);
      toastNotCopied(what, error);
    }
  };
  return { copied, copy };
}

export function toastNotCopied(what: string, error: unknown) {
  const reason = error instanceof Error ? error.message : "";
  toast({ title: `The ${what} was not copied`, description: `${reason} Your clipboard is unchanged.` });
}

/** The tick is drawn. */
export function CopyIcon({ copied }: { copied: boolean }) {
  return copied ? <Check aria-hidden className="animate-draw [stroke-dasharray:24]" /> : <Copy aria-hidden />;
}

/** Shows "Copied" in place of the label, keeping its width and accessible name. */
export function CopyLabel({ copied, children }: { copied: boolean; children: string }) {
  return (
    <span className="relative">
      <span className={cn(copied && "opacity-0")}>{children}</span>
      {copied && (
        <span aria-hidden className="absolute inset-y-0 left-0">
          Copied
        </span>
      )}
    </span>
  );
}

/**
 * Copies a text; on plain http, where browsers have no clipboard API, through a selection.
 * @throws when the browser refuses
 */
export async function copyText(source: string | Promise<string>) {
  // Called within the click: after a fetch, some browsers no longer count it as a user gesture.
  if (navigator.clipboard && typeof source !== "string" && "ClipboardItem" in window) {
    const blob = source.then((text) => new Blob([text], { type: "text/plain" }));
    // A browser that refuses to copy does not await the blob, so its rejection would go unhandled.
    blob.catch(() => undefined);
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
