"use client";

import { lazy, Suspense, useEffect, useState } from "react";

export interface ToastOptions {
  title: string;
  description?: string;
  /** how long it stays, in milliseconds; 0 until it is closed */
  timeout?: number;
  action?: { label: string; onClick: () => void };
}

const Toaster = lazy(async () => ({ default: (await import("@/components/ui/toaster")).Toaster }));

const waiting: ToastOptions[] = [];
let announce = () => {};

/** Says in passing what has happened; read out by screen readers. Never give it a secret. */
export function toast(options: ToastOptions) {
  waiting.push(options);
  announce();
}

/** Where toasts appear, once for the whole application; what shows them loads with the first. */
export function Toasts() {
  const [announced, setAnnounced] = useState(0);
  useEffect(() => {
    announce = () => setAnnounced((count) => count + 1);
  }, []);
  return (
    announced > 0 && (
      <Suspense>
        <Toaster waiting={waiting} announced={announced} />
      </Suspense>
    )
  );
}
