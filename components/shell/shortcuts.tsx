import { useRouter } from "next/navigation";
import { useCallback, useEffect, useState } from "react";
import { isCovered, isTyping } from "@/components/keys";
import { leave } from "@/components/leave-guard";
import { OPEN_PALETTE } from "@/components/open-palette";
import { onDemand } from "@/components/ui/on-demand";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";

const palette = onDemand(() => import("@/components/shell/command-palette"));
const help = onDemand(() => import("@/components/shell/shortcut-help"));
const CommandPalette = palette.part("CommandPalette");
const ShortcutHelp = help.part("ShortcutHelp");

/** Global shortcuts. The palette and the help load on first use. */
export function Shortcuts() {
  const [open, setOpen] = useState<"palette" | "help">();
  const [text, setText] = useState("");
  const router = useRouter();
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  const show = useCallback(async (what: "palette" | "help") => {
    if (await (what === "palette" ? palette : help).loadOrTell()) setOpen(what);
  }, []);
  useEffect(() => {
    const showPalette = (event?: Event) => {
      setText(event instanceof CustomEvent ? String(event.detail) : "");
      void show("palette");
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        showPalette();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target) || isCovered()) return;
      if (event.key === "?") void show("help");
      else if (event.key === "n" && canWrite) leave(() => router.push(`/${slug}/groups/new`));
      else if (event.key === "/") focusSearch(showPalette);
      else return;
      event.preventDefault();
    };
    window.addEventListener(OPEN_PALETTE, showPalette);
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener(OPEN_PALETTE, showPalette);
      window.removeEventListener("keydown", onKey);
    };
  }, [router, slug, canWrite, show]);
  const close = () => setOpen(undefined);
  return (
    <>
      {open === "palette" && (
        <CommandPalette initialText={text} onClose={close} onShortcuts={() => void show("help")} />
      )}
      {open === "help" && <ShortcutHelp onClose={close} />}
    </>
  );
}

function focusSearch(elsewhere: () => void) {
  const search = document.querySelector<HTMLInputElement>('input[type="search"]');
  if (search) search.focus();
  else elsewhere();
}
