"use client";

import { Toast as Base } from "@base-ui/react/toast";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "@/components/ui/button";

const manager = Base.createToastManager();

interface ToastOptions {
  title: string;
  description?: string;
  /** how long it stays, in milliseconds; 0 until it is closed */
  timeout?: number;
  action?: { label: string; onClick: () => void };
}

/** Says in passing what has happened; read out by screen readers. Never give it a secret. */
export function toast({ title, description, timeout = 5_000, action }: ToastOptions): string {
  const id = manager.add({
    title,
    timeout,
    ...(description && { description }),
    ...(action && {
      actionProps: {
        children: action.label,
        onClick: () => {
          manager.close(id);
          action.onClick();
        },
      },
    }),
  });
  return id;
}

/** Where toasts appear, around the whole application. */
export function ToastProvider({ children }: { children: ReactNode }) {
  return (
    <Base.Provider toastManager={manager} limit={3}>
      {children}
      <Base.Portal>
        <Base.Viewport className="fixed right-4 bottom-4 z-60 flex w-[calc(100vw-32px)] max-w-sm flex-col gap-2">
          <Toasts />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

function Toasts() {
  const { toasts } = Base.useToastManager();
  return toasts.map((one) => (
    <Base.Root
      key={one.id}
      toast={one}
      className="rounded-md border border-border bg-surface shadow-lg transition-opacity duration-150 data-ending-style:opacity-0 data-limited:opacity-0 data-starting-style:opacity-0"
    >
      <Base.Content className="flex items-center gap-3 py-2 pr-2 pl-4">
        <div className="min-w-0 flex-1 break-words py-1">
          <Base.Title className="font-medium" />
          <Base.Description className="text-text-muted" />
        </div>
        {one.actionProps && <Base.Action render={<Button variant="secondary" />} />}
        <Base.Close render={<Button variant="ghost" size="icon" aria-label="Dismiss" />}>
          <X aria-hidden />
        </Base.Close>
      </Base.Content>
    </Base.Root>
  ));
}
