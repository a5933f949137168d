"use client";

import { type ReactNode, type RefObject, use, useEffect, useLayoutEffect, useRef, useState } from "react";
import { LatePanel } from "@/components/late-panel";
import { SETTLED_MS } from "@/components/ui/toast";
import { useInBrowser } from "@/components/use-in-browser";

interface LateProps {
  /** components loaded on demand; the same object each time */
  of: { load: () => Promise<void>; isLoaded: () => boolean };
  children: ReactNode;
}

/**
 * Shows what the server rendered until its code loads, which is at the reader's first sign or once the page has settled.
 * The focus stays where it is then, and a click made before then takes effect.
 */
export const Late = typeof window === "undefined" ? OnServer : InBrowser;

const loading = new WeakMap<LateProps["of"], Promise<void>>();

function OnServer({ of, children }: LateProps) {
  if (!loading.has(of)) loading.set(of, of.load());
  if (!of.isLoaded()) use(loading.get(of) as Promise<void>);
  return <div className="contents">{children}</div>;
}

function InBrowser({ of, children }: LateProps) {
  const isInBrowser = useInBrowser();
  const [isFromServer] = useState(!isInBrowser);
  if (isFromServer) return <FromServer of={of}>{children}</FromServer>;
  return of.isLoaded() ? children : <LatePanel load={of.load}>{children}</LatePanel>;
}

/** Leaves the server's elements untouched; React would compare the object. */
const UNTOUCHED = { __html: "" };

function FromServer({ of, children }: LateProps) {
  const box = useRef<HTMLDivElement>(null);
  const [isLoaded, setLoaded] = useState(false);
  const kept = useRef<Kept>({ focused: -1, caret: null, clicked: -1 });
  useEffect(() => {
    if (isLoaded) return;
    return whenWanted(async () => {
      await of.load();
      keepFocus(box, kept.current);
      setLoaded(true);
    });
  }, [of, isLoaded]);
  useEffect(() => (isLoaded ? undefined : keepClicks(box, kept.current)), [isLoaded]);
  // Before the browser paints.
  useLayoutEffect(() => {
    if (isLoaded) restore(box, kept.current);
  }, [isLoaded]);
  if (isLoaded) {
    return (
      <div key="own" ref={box} className="contents">
        {children}
      </div>
    );
  }
  // biome-ignore lint/security/noDangerouslySetInnerHtml: keeps what the server rendered
  return <div key="sent" ref={box} className="contents" suppressHydrationWarning dangerouslySetInnerHTML={UNTOUCHED} />;
}

/** A reader's first signs: the mouse moves before it clicks. */
const SIGNS = ["pointermove", "pointerdown", "keydown", "focusin", "wheel"];

/** Calls it at the reader's first sign or once the page has settled, and again at later signs if it failed. */
function whenWanted(start: () => Promise<void>): () => void {
  let isStarted = false;
  const onSign = () => {
    if (isStarted) return;
    isStarted = true;
    start().catch(() => {
      isStarted = false;
    });
  };
  const timer = setTimeout(onSign, SETTLED_MS);
  for (const sign of SIGNS) window.addEventListener(sign, onSign, { capture: true, passive: true });
  return () => {
    clearTimeout(timer);
    for (const sign of SIGNS) window.removeEventListener(sign, onSign, { capture: true });
  };
}

/** What the reader did with the server's elements, by their place among the controls. */
interface Kept {
  focused: number;
  caret: number | null;
  clicked: number;
}

type Box = RefObject<HTMLElement | null>;

const controls = (box: Box) => [...(box.current?.querySelectorAll<HTMLElement>("button, a, input, textarea") ?? [])];
const isText = (control: Element | null | undefined) =>
  control instanceof HTMLTextAreaElement || (control instanceof HTMLInputElement && control.type === "text");

function keepFocus(box: Box, kept: Kept) {
  const focused = document.activeElement;
  kept.focused = controls(box).indexOf(focused as HTMLElement);
  kept.caret = isText(focused) ? (focused as HTMLInputElement).selectionStart : null;
}

/** Keeps the last click; nothing that it or a key would change is changed. */
function keepClicks(box: Box, kept: Kept): () => void {
  const { current: element } = box;
  const end = new AbortController();
  const options = { capture: true, signal: end.signal };
  const onClick = (event: Event) => {
    const { target } = event;
    if (!(target instanceof Element)) return;
    const label = target.closest("label");
    const clicked = label ? label.control : target.closest("button, input");
    if (!clicked || isText(clicked)) return;
    event.preventDefault();
    kept.clicked = controls(box).indexOf(clicked as HTMLElement);
  };
  element?.addEventListener("click", onClick, options);
  for (const type of ["beforeinput", "submit"])
    element?.addEventListener(type, (event) => event.preventDefault(), options);
  return () => end.abort();
}

function restore(box: Box, { focused, caret, clicked }: Kept) {
  const all = controls(box);
  const control = all[focused];
  control?.focus({ preventScroll: true });
  if (caret !== null && isText(control)) (control as HTMLInputElement).setSelectionRange(caret, caret);
  all[clicked]?.click();
}
