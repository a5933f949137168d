import { useEffect, useState } from "react";
import { Announcer, announce } from "@/components/ui/announcer";

export interface ToastOptions {
  title: string;
  description?: string;
  /** in milliseconds; 0 shows it until it is closed */
  timeout?: number;
  action?: { label: string; onClick: () => void };
}

type Toaster = typeof import("@/components/ui/toaster").Toaster;

const load = () => import("@/components/ui/toaster");
/** Time for the page to settle, in milliseconds. */
const SETTLED_MS = 3_000;

const waiting: ToastOptions[] = [];
let show = () => {};

/** Shows a toast and announces it to screen readers. Never pass it a secret. */
export function toast(options: ToastOptions) {
  waiting.push(options);
  announce([options.title, options.description].filter(Boolean).join(". "));
  show();
}

/** The application's toasts. Their renderer is not in the first load. */
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
        // If the renderer cannot be loaded, a native alert is better than nothing.
        for (const { title, description } of waiting.splice(0)) window.alert([title, description].join("\n"));
      });
    };
    if (waiting.length > 0) show();
    // Many toasts report that the service is unreachable, so their renderer must load before that.
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
