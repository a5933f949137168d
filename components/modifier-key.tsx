import { useInBrowser } from "@/components/use-in-browser";
import { cn } from "@/lib/browser/class-name";

/** ⌘ or Ctrl, by platform. */
export function ModifierKey() {
  const isKnown = useInBrowser();
  // The server only reserves the space.
  return <span className={cn(!isKnown && "invisible")}>{isKnown && isApple() ? "⌘" : "Ctrl"}</span>;
}

function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.platform);
}
