"use client";

import dynamic from "next/dynamic";
import { useEffect, useState } from "react";

export interface ToastOptions {
  title: string;
  description?: string;
  /** how long it stays, in milliseconds; 0 until it is closed */
  timeout?: number;
  action?: { label: string; onClick: () => void };
}

const load = () => import("@/components/ui/toaster").then((module) => module.Toaster);
const Toaster = dynamic(load);
/** When the page has settled, in milliseconds. */
const SETTLED_MS = 3_000;

const waiting: ToastOptions[] = [];
let announce = () => {};

/** Says in passing what has happened; read out by screen readers. Never give it a secret. */
export function toast(options: ToastOptions) {
  waiting.push(options);
  // Where nothing can be loaded, the browser's own words are better than none.
  load().then(announce, () => {
    for (const { title, description } of waiting.splice(0)) window.alert([title, description].join("\n"));
  });
}

/** Where toasts appear, once for the whole application; what shows them is no part of the first load. */
export function Toasts() {
  const [announced, setAnnounced] = useState(0);
  useEffect(() => {
    announce = () => setAnnounced((count) => count + 1);
    // Much of what a toast has to say is that the service is away: it must be there before that.
    const timer = setTimeout(() => load().catch(() => undefined), SETTLED_MS);
    return () => clearTimeout(timer);
  }, []);
  return announced > 0 && <Toaster waiting={waiting} announced={announced} />;
}
