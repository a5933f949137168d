import { useMutation } from "@tanstack/react-query";
import { ChevronDown, Eye, EyeOff, RotateCw } from "lucide-react";
import { useEffect, useState } from "react";
import { CopyButton, CopyIcon, CopyLabel, useCopy } from "@/components/copy-button";
import { Failure } from "@/components/failure";
import { type EmbedFormat, FORMAT_NAMES, useEmbed } from "@/components/groups/embed-formats";
import { UseLine } from "@/components/groups/token-use";
import { MASKED_TOKEN, SHOWN_SECONDS, type ShownToken } from "@/components/groups/use-shown-token";
import { part } from "@/components/part";
import { Button } from "@/components/ui/button";
import { Menu, MenuChoice } from "@/components/ui/menu";
import { useCanWrite } from "@/components/use-member";
import { cn } from "@/lib/browser/class-name";
import type { Group } from "@/lib/groups/queries";

// Loaded on demand: few groups have an old token.
const OldToken = part(async () => (await import("@/components/groups/old-token")).OldToken);

interface TokenBarProps {
  group: Group;
  token: ShownToken;
  onRotate: () => void;
  onEndOverlap: () => void;
  /** the embed configuration below the bar has the primary button */
  isEmbed: boolean;
  /** on a phone the save bar replaces it */
  isCovered: boolean;
}

/** The group's token and how it is used. On a phone its buttons are at the bottom of the window. */
export function TokenBar({ group, token, onRotate, onEndOverlap, isEmbed, isCovered }: TokenBarProps) {
  const { previousToken } = group;
  const canWrite = useCanWrite();
  const show = useMutation({ mutationFn: token.show });
  return (
    <section
      aria-label="User group token"
      className="overflow-hidden border-border sm:rounded-xl sm:border sm:bg-raised sm:shadow-raised"
    >
      <div
        data-token-bar
        className={cn(
          "flex flex-wrap items-center gap-x-2.5 gap-y-2 sm:px-4 sm:py-3.5",
          "max-sm:fixed max-sm:inset-x-0 max-sm:bottom-0 max-sm:z-20 max-sm:border-border max-sm:border-t",
          "max-sm:bg-raised max-sm:px-4 max-sm:pt-2 max-sm:pb-3 max-sm:shadow-popup",
          // With the keyboard up there is no room for both, and the bar would catch clicks on a form's button.
          "max-sm:[main:has(form_:is(input,textarea,[contenteditable],[type=submit]):focus)_&]:hidden",
          isCovered && "max-sm:hidden",
        )}
      >
        <div className="flex min-h-8 min-w-0 items-center gap-2 max-sm:w-full sm:flex-1 sm:basis-56">
          <code
            className={cn(
              "min-w-0 break-all font-medium font-mono text-token",
              !token.value && "max-sm:max-w-26 max-sm:overflow-hidden max-sm:whitespace-nowrap",
            )}
          >
            {token.value ?? MASKED_TOKEN}
          </code>
          {canWrite && <RevealButton token={token} isPending={show.isPending} onShow={() => show.mutate()} />}
        </div>
        {canWrite ? (
          <div className="flex flex-wrap gap-2.5 max-sm:grid max-sm:w-full max-sm:grid-cols-2 max-sm:gap-2">
            <CopyButton what="token" text={token.fetch} variant={isEmbed ? "secondary" : "primary"}>
              Copy token
            </CopyButton>
            <CopyEmbed group={group} fetchToken={token.fetch} />
            <Button icon={RotateCw} onClick={onRotate} className="max-sm:hidden">
              Rotate…
            </Button>
          </div>
        ) : (
          <p className="text-text-muted">Readers cannot see tokens.</p>
        )}
      </div>
      <div role="status" className="contents">
        {token.value !== undefined && <HidesSoon />}
      </div>
      {show.error && (
        <div className="pb-3 sm:px-4">
          <Failure title="The token could not be shown" error={show.error} />
        </div>
      )}
      {previousToken && <OldToken group={group} previous={previousToken} onEnd={onEndOverlap} />}
      <UseLine group={group} />
    </section>
  );
}

/** Counts down, silently for screen readers. */
function HidesSoon() {
  const [left, setLeft] = useState(SHOWN_SECONDS);
  useEffect(() => {
    const timer = setInterval(() => setLeft((seconds) => Math.max(1, seconds - 1)), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className="px-4 pb-3 text-text-muted text-xs max-sm:px-0 max-sm:pb-2">
      <span aria-hidden className="tabular-nums">{`Hides in ${left} s.`}</span>
      <span className="sr-only">{`Hides in ${SHOWN_SECONDS} seconds.`}</span> Recorded in History.
    </p>
  );
}

function RevealButton({ token, isPending, onShow }: { token: ShownToken; isPending: boolean; onShow: () => void }) {
  const isShown = token.value !== undefined;
  const label = isShown ? "Hide token" : "Reveal token";
  const Icon = isShown ? EyeOff : Eye;
  return (
    <Button
      icon={Icon}
      variant="ghost"
      size="icon"
      aria-label={label}
      title={label}
      aria-disabled={isPending}
      onClick={isPending ? undefined : isShown ? token.hide : onShow}
    />
  );
}

/** Copies the embed configuration in the last chosen format; choosing another format copies in that one. */
function CopyEmbed({ group, fetchToken }: { group: Group; fetchToken: () => Promise<string> }) {
  const { copied, copy } = useCopy("embed configuration");
  const { format, options, setFormat, write } = useEmbed(group);
  const copyAs = (as: EmbedFormat) => copy(async () => write(as, await fetchToken()).text);
  return (
    <span className="flex">
      <Button
        onClick={() => copyAs(format ?? "html")}
        disabled={!format}
        className="min-w-0 rounded-r-none disabled:opacity-100 max-sm:flex-1 max-sm:rounded-r-md"
      >
        <CopyIcon copied={copied} />
        <CopyLabel copied={copied}>Copy embed</CopyLabel>
        <span className={cn("-ml-1 max-sm:hidden", (copied || !format) && "opacity-0")}>
          · {FORMAT_NAMES[format ?? "html"]}
        </span>
      </Button>
      <Menu
        align="end"
        button={{
          icon: ChevronDown,
          "aria-label": "Embed formats",
          className: "-ml-px w-8 rounded-l-none px-0 max-sm:hidden",
        }}
      >
        <MenuChoice
          label="Copy embed as"
          value={format ?? ""}
          onChange={(next) => {
            setFormat(next as EmbedFormat);
            void copyAs(next as EmbedFormat);
          }}
          options={options}
        />
      </Menu>
    </span>
  );
}
