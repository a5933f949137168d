import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactNode, useRef, useState } from "react";
import { Button, IconButton } from "@/components/ui/button";
import { leave, useLeaveGuard } from "@/components/ui/leave-guard";
import { Notice } from "@/components/ui/notice";
import { cn } from "@/lib/browser/class-name";

const FIELD = "input:not([type=radio], [type=checkbox], [hidden]), textarea";

interface DialogProps {
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  children: ReactNode;
  /** for wide content, such as a diff */
  wide?: boolean | undefined;
  /** a sheet at the right edge, as high as the window, for content to compare with the page */
  isSheet?: boolean;
  /** stays open on a click outside, for content shown only once */
  sticky?: boolean | undefined;
  /** cannot be closed for now */
  isHeld?: boolean;
  /** what closing loses, in a sentence; if given, asks before closing and before leaving the page */
  loses?: string | undefined;
  /** the environment the dialog changes, which tints its top */
  environment?: { name: string; tag: "Customer" | "Testing" } | undefined;
}

const CENTRED = cn(
  "grid-rows-[minmax(calc(var(--toasts,0px)+16px),1fr)_minmax(0,auto)_minmax(16px,1fr)] justify-items-center sm:px-4",
  "max-sm:grid-rows-[minmax(calc(var(--toasts,0px)+16px),1fr)_minmax(0,auto)]",
);
const AT_THE_EDGE = "grid-rows-[calc(var(--toasts,0px)+8px)_minmax(0,1fr)_8px] justify-items-end px-2";

/** A modal: its first field takes the focus, Esc closes it, and the focus returns to its opener. */
export function Dialog(props: DialogProps) {
  const { onClose, title, description, children, loses, environment } = props;
  const { wide = false, isSheet = false, sticky = false, isHeld = false } = props;
  const popup = useRef<HTMLDivElement>(null);
  /** what Close anyway does; undefined unless asking */
  const [asked, ask] = useState<() => void>();
  const close = (_: boolean, { reason }: { reason: string }) => {
    if (isHeld) return;
    if (loses === undefined) onClose();
    // Esc closes the question first.
    else if (asked && reason === "escape-key") keep();
    else ask(() => onClose);
  };
  const keep = () => {
    ask(undefined);
    popup.current?.focus();
  };
  const askToLeave = (go: () => void) =>
    ask(() => () => {
      onClose();
      // After this guard is removed; there may be another.
      setTimeout(() => leave(go));
    });
  useLeaveGuard(loses !== undefined, askToLeave, useRouter().push);
  // Not with autoFocus, which moves the focus before the dialog records where to return it.
  const firstField = () =>
    popup.current?.querySelector<HTMLElement>("[data-first]") ??
    popup.current?.querySelector<HTMLElement>(FIELD) ??
    true;
  return (
    <Base.Root open onOpenChange={close} disablePointerDismissal={sticky}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/40 fade" />
        {/* Below the toasts (toaster.tsx); on a phone at the bottom. Clicks go to the backdrop. */}
        <Base.Viewport
          ref={clearKeyboard}
          className={cn("pointer-events-none fixed inset-0 z-50 grid", isSheet ? AT_THE_EDGE : CENTRED)}
        >
          <Base.Popup
            ref={popup}
            initialFocus={firstField}
            className={cn(
              "pointer-events-auto row-start-2 flex w-full flex-col overflow-hidden rounded-xl border border-border",
              "bg-raised shadow-popup fade [--editor-height:160px]",
              !isSheet && "max-sm:rounded-b-none max-sm:border-x-0 max-sm:border-b-0",
              isSheet ? "max-w-150" : wide ? "max-w-3xl" : "sm:max-w-md",
            )}
          >
            {environment && <EnvironmentTop {...environment} verb={isSheet ? "Changes go to " : ""} />}
            <div className="flex items-start justify-between gap-4 px-5 pt-5">
              <Base.Title className="min-w-0 break-words font-semibold text-lg">{title}</Base.Title>
              {!isHeld && <Base.Close render={<IconButton icon={X} aria-label="Close" />} />}
            </div>
            {/* Browsers make scrollable regions focusable. Scrolled content fades out below the title. */}
            <div className="mask-[linear-gradient(transparent,black_12px)] min-h-0 grow scroll-pb-18 overflow-y-auto">
              {/* Padding on an inner box: sticky buttons would stop at a scroll container's padding. */}
              <div className="flex min-h-full flex-col gap-4 px-5 pt-3 pb-5">
                {description && <Base.Description className="text-text-muted">{description}</Base.Description>}
                {children}
              </div>
            </div>
            {asked && loses !== undefined && (
              <div className="border-border border-t px-5 py-4">
                <Notice tone="warning" role="alert" title="Close anyway?">
                  <p>{loses}</p>
                  <div className="flex flex-wrap gap-2 pt-1">
                    <Button autoFocus onClick={keep}>
                      Keep open
                    </Button>
                    <Button variant="danger" onClick={asked}>
                      Close anyway
                    </Button>
                  </div>
                </Notice>
              </div>
            )}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

/** Safari draws the on-screen keyboard over the page; elsewhere the page shrinks (`viewport` in app/layout.tsx). */
function clearKeyboard(box: HTMLElement | null) {
  const view = window.visualViewport;
  if (!box || !view) return;
  const fit = () => {
    const covered = view.scale > 1 ? 0 : window.innerHeight - view.offsetTop - view.height;
    box.style.bottom = `${covered}px`;
  };
  view.addEventListener("resize", fit);
  view.addEventListener("scroll", fit);
  return () => {
    view.removeEventListener("resize", fit);
    view.removeEventListener("scroll", fit);
  };
}

const SERVES = { Customer: "real customers", Testing: "test data" };

function EnvironmentTop({ name, tag, verb }: NonNullable<DialogProps["environment"]> & { verb: string }) {
  return (
    <p
      data-environment={tag}
      className={cn(
        "flex min-h-10 items-center gap-2 border-border bg-environment/14 px-5 py-2 font-medium text-environment-text",
        "text-xs forced-colors:border-b",
      )}
    >
      <span aria-hidden data-mark={tag} className="size-2 shrink-0 rounded-full bg-environment" />
      <span className="min-w-0 break-words">
        {verb}
        {name} · {SERVES[tag]}
      </span>
    </p>
  );
}

interface DialogActionsProps {
  /** what the primary button will do, in a few words */
  note?: ReactNode;
  children: ReactNode;
}

/** A dialog's buttons, the primary one last. They stay in sight however long the dialog is. */
export function DialogActions({ note, children }: DialogActionsProps) {
  return (
    <div
      className={cn(
        "sticky bottom-0 -mx-5 mt-auto -mb-5 flex flex-wrap items-center justify-end gap-2 border-border border-t",
        "bg-raised px-5 py-4 max-sm:[&>button]:h-11 max-sm:[&>button]:flex-1",
      )}
    >
      {note && (
        <p className="mr-auto min-w-0 flex-1 break-words text-text-secondary max-sm:flex-none max-sm:w-full">{note}</p>
      )}
      {children}
    </div>
  );
}
