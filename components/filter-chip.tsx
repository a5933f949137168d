import { X } from "lucide-react";
import { IconButton } from "@/components/ui/button";
import type { Loading } from "@/components/ui/on-demand";
import { Popover } from "@/components/ui/popover";
import { cn } from "@/lib/browser/class-name";

interface FilterChipProps {
  words: string[];
  onRemove: () => void;
  /** renders the filter's editor, given a function that closes it */
  editor?: Parameters<typeof Popover>[0]["children"] | undefined;
  /** loads with the editor */
  needs?: Loading;
}

const PART = "max-w-48 truncate border-border border-r px-2 leading-6.5 last:border-r-0";

/** An active filter that can be changed or removed. */
export function FilterChip({ words, onRemove, editor, needs }: FilterChipProps) {
  const label = words.join(" ");
  const parts = words.map((word, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a filter's parts have places
    <span key={index} className={index === 1 ? `${PART} text-text-muted` : `${PART} font-medium`}>
      {word}{" "}
    </span>
  ));
  return (
    <li
      className={cn(
        "flex h-7 min-w-0 max-w-full items-center overflow-hidden rounded-md border border-border-strong text-xs",
        "pointer-coarse:h-control",
      )}
    >
      {editor ? (
        <Popover
          {...(needs && { needs })}
          button={{
            variant: "ghost",
            "aria-label": `Change filter ${label}`,
            className: cn(
              "h-full! min-w-0 shrink! gap-0! rounded-none! px-0! font-normal! text-text! text-xs!",
              "focus-visible:-outline-offset-2",
            ),
            children: parts,
          }}
          title={`Filter ${label}`}
        >
          {editor}
        </Popover>
      ) : (
        <span className="flex min-w-0">{parts}</span>
      )}
      <IconButton
        icon={X}
        aria-label={`Remove filter ${label}`}
        onClick={onRemove}
        className="h-full! rounded-none! border-border border-l focus-visible:-outline-offset-2 [&_svg]:size-3.5!"
      />
    </li>
  );
}
