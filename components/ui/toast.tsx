"use client";

import { useEffect, useState } from "react";
import { Announcer, announce } from "@/components/ui/announcer";

export interface ToastOptions {
  title: string;
  description?: string;
  /** how long it stays, in milliseconds; 0 until it is closed */
  timeout?: number;
  action?: { label: string; onClick: () => void };
}

type Toaster = typeof import("@/components/ui/toaster").Toaster;

const load = () => import("@/components/ui/toaster");
/** When the page has settled, in milliseconds. */
const SETTLED_MS = 3_000;

const waiting: ToastOptions[] = [];
let show = () => {};

/** Says in passing what has happened, to screen readers as well. Never give it a secret. */
export function toast(options: ToastOptions) {
  waiting.push(options);
  announce([options.title, options.description].filter(Boolean).join(". "));
  show();
}

/** Where toasts appear, once for the whole application; what shows them is no part of the first load. */
export function Toasts() {
  const [Toaster, setToaster] = useState<Toaster>();
  const [announced, setAnnounced] = useState(0);
  useEffect(() => {
    const mount = async () => {
      const module = await load();
      setToaster(() => module.Toaster);
    };
    show = () => {
      setAnnounced((count) => count + 1);
      mount().catch(() => {
        // Where nothing can be loaded, the browser's own words are better than none.
        for (const { title, description } of waiting.splice(0)) window.alert([title, description].join("\n"));
      });
    };
    if (waiting.length > 0) show();
    // Much of what a toast has to say is that the service is away: what shows it must be there before.
    const timer = setTimeout(() => mount().catch(() => undefined), SETTLED_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      <Announcer />
      {Toaster && <Toaster waiting={waiting} announced={announced} />}
    </>
  );
}
