"use client";

import { type RefObject, use, useEffect, useLayoutEffect, useRef, useState } from "react";
import { LatePanel, type LatePanelProps } from "@/components/late-panel";
import { SETTLED_MS } from "@/components/ui/toast";
import { useInBrowser } from "@/components/use-in-browser";

/**
 * Shows what the server rendered until its code loads, which is at the reader's first sign or once the page has settled.
 * The focus stays where it is then, and text typed or a click made before then takes effect.
 */
export const Late = typeof window === "undefined" ? OnServer : InBrowser;

const loading = new WeakMap<LatePanelProps["of"], Promise<void>>();

function OnServer({ of, children }: LatePanelProps) {
  if (!loading.has(of)) loading.set(of, of.load());
  if (!of.isLoaded()) use(loading.get(of) as Promise<void>);
  return <div className="contents">{children}</div>;
}

function InBrowser({ of, children }: LatePanelProps) {
  const isInBrowser = useInBrowser();
  const [isFromServer] = useState(!isInBrowser);
  if (isFromServer) return <FromServer of={of}>{children}</FromServer>;
  return <LatePanel of={of}>{children}</LatePanel>;
}

/** Leaves the server's elements untouched; React would compare the object. */
const UNTOUCHED = { __html: "" };

function FromServer({ of, children }: LatePanelProps) {
  const box = useRef<HTMLDivElement>(null);
  const [isLoaded, setLoaded] = useState(false);
  const kept = useRef<Kept>({ controls: [], focused: undefined, clicked: undefined });
  useEffect(() => {
    if (isLoaded) return;
    return whenWanted(async () => {
      await of.load();
      kept.current.controls = controlsIn(box);
      kept.current.focused = kept.current.controls.find((control) => control === document.activeElement);
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

/** What the reader did with the server's elements. */
interface Kept {
  /** its controls, which the own ones take the places of */
  controls: HTMLElement[];
  focused: HTMLElement | undefined;
  clicked: HTMLElement | undefined;
}

type Box = RefObject<HTMLElement | null>;
type TextControl = HTMLInputElement | HTMLTextAreaElement;

const controlsIn = ({ current }: Box) => [
  ...(current?.querySelectorAll<HTMLElement>("button, a, input, textarea") ?? []),
];
const isText = (control: Element | null | undefined): control is TextControl =>
  control instanceof HTMLTextAreaElement || (control instanceof HTMLInputElement && control.type === "text");

/** Keeps the last click, which has no effect yet. */
function keepClicks(box: Box, kept: Kept): () => void {
  const { current: element } = box;
  const end = new AbortController();
  const options = { capture: true, signal: end.signal };
  const onClick = (event: Event) => {
    const { target } = event;
    if (!(target instanceof Element)) return;
    const label = target.closest("label");
    const clicked = label ? label.control : target.closest<HTMLElement>("button, input");
    if (!clicked || isText(clicked)) return;
    event.preventDefault();
    kept.clicked = clicked;
  };
  element?.addEventListener("click", onClick, options);
  element?.addEventListener("submit", (event) => event.preventDefault(), options);
  return () => end.abort();
}

/** Does to the own controls what the reader did to the server's. */
function restore(box: Box, { controls, focused, clicked }: Kept) {
  const own = controlsIn(box);
  for (const [at, control] of controls.entries()) {
    const now = own[at];
    if (!isText(control) || !isText(now)) continue;
    if (control.value !== control.defaultValue) type(now, control.value);
    if (control !== focused) continue;
    now.focus({ preventScroll: true });
    now.setSelectionRange(control.selectionStart, control.selectionEnd);
  }
  const place = (control: HTMLElement | undefined) => (control ? own[controls.indexOf(control)] : undefined);
  if (!isText(focused)) place(focused)?.focus({ preventScroll: true });
  place(clicked)?.click();
}

/** Types for React, which does not see a value that is set by script. */
function type(control: TextControl, text: string) {
  const value = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), "value");
  value?.set?.call(control, text);
  control.dispatchEvent(new Event("input", { bubbles: true }));
}
