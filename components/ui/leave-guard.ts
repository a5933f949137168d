import { useEffect, useEffectEvent } from "react";

type Go = () => void;

/** Only the last guard asks. */
const guards: ((go: Go) => void)[] = [];

/** Calls `go` to leave the page, unless a guard asks first. */
export function leave(go: Go) {
  const guard = guards.at(-1);
  if (guard) guard(go);
  else go();
}

let isUnasked = false;

/** Calls `go` to leave the page, even if changes are lost. */
export function leaveUnasked(go: Go) {
  isUnasked = true;
  go();
}

/** The part of the Navigation API used here. Some browsers lack it, and so do TypeScript's types. */
interface Traversal extends Event {
  navigationType: string;
  destination: { key: string };
}
interface Navigation extends EventTarget {
  traverseTo(key: string): void;
}

/**
 * Asks before a link, {@link leave}, back, forward or closing the tab loses unsaved changes. `ask` gets a function
 * that leaves the page.
 */
export function useLeaveGuard(active: boolean, ask: (go: Go) => void, follow: (href: string) => void) {
  const onLeave = useEffectEvent(ask);
  const onFollow = useEffectEvent(follow);
  useEffect(() => {
    if (!active) return;
    const guard = (go: Go) => onLeave(go);
    guards.push(guard);
    const isLast = () => guards.at(-1) === guard;
    const onClick = (event: MouseEvent) => {
      const link = (event.target as Element).closest?.("a[href]");
      const elsewhere = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
      if (!(link instanceof HTMLAnchorElement) || elsewhere || link.target || link.download) return;
      if (link.origin !== window.location.origin || link.hash || !isLast()) return;
      event.preventDefault();
      event.stopPropagation();
      onLeave(() => onFollow(link.pathname + link.search));
    };
    const onTraverse = (event: Event) => {
      const { navigationType, destination, cancelable } = event as Traversal;
      if (navigationType !== "traverse" || !cancelable || !isLast()) return;
      event.preventDefault();
      onLeave(() => navigation?.traverseTo(destination.key));
    };
    const onUnload = (event: BeforeUnloadEvent) => {
      if (!isUnasked) event.preventDefault();
    };
    const { navigation } = window as { navigation?: Navigation };
    document.addEventListener("click", onClick, true);
    navigation?.addEventListener("navigate", onTraverse);
    window.addEventListener("beforeunload", onUnload);
    return () => {
      guards.splice(guards.indexOf(guard), 1);
      document.removeEventListener("click", onClick, true);
      navigation?.removeEventListener("navigate", onTraverse);
      window.removeEventListener("beforeunload", onUnload);
    };
  }, [active]);
}
