import { Toast as Base } from "@base-ui/react/toast";
import { X } from "lucide-react";
import { useEffect } from "react";
import { Button } from "@/components/ui/button";
import type { ToastOptions } from "@/components/ui/toast";

const manager = Base.createToastManager();

interface ToasterProps {
  /** toasts still to be shown; emptied here */
  waiting: ToastOptions[];
  /** number of toasts so far */
  announced: number;
}

export function Toaster({ waiting, announced }: ToasterProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each announcement says that there are more
  useEffect(() => {
    for (const options of waiting.splice(0)) show(options);
  }, [waiting, announced]);
  return (
    <Base.Provider toastManager={manager} limit={3}>
      <Base.Portal>
        {/* Already announced by the live region. Over the header: bars are at the bottom, dialogs keep clear. */}
        <Base.Viewport
          ref={measure}
          aria-live="off"
          className="fixed top-2 left-1/2 z-60 flex w-[calc(100vw-32px)] max-w-sm -translate-x-1/2 flex-col gap-2"
        >
          <Shown />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

/** Publishes where the toasts end, for dialogs. */
function measure(viewport: HTMLElement | null) {
  if (!viewport) return;
  const sizes = new ResizeObserver(() => {
    const { height, bottom } = viewport.getBoundingClientRect();
    document.documentElement.style.setProperty("--toasts", `${height > 0 ? bottom : 0}px`);
  });
  sizes.observe(viewport);
  return () => sizes.disconnect();
}

function show({ title, description, timeout = 5_000, action }: ToastOptions) {
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
}

function Shown() {
  const { toasts } = Base.useToastManager();
  return toasts.map((one) => (
    <Base.Root
      key={one.id}
      toast={one}
      className="rounded-lg border border-border bg-raised shadow-popup fade data-limited:opacity-0"
    >
      <Base.Content className="flex items-center gap-3 py-2 pr-2 pl-4">
        <div className="min-w-0 flex-1 break-words py-1">
          <Base.Title className="font-medium" />
          <Base.Description className="text-text-muted" />
        </div>
        {one.actionProps && <Base.Action render={<Button variant="secondary" />} />}
        <Base.Close render={<Button icon={X} variant="ghost" size="icon" aria-label="Dismiss" />} />
      </Base.Content>
    </Base.Root>
  ));
}
