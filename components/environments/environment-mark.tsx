import { cn } from "@/lib/browser/class-name";
import type { OfferedEnvironment } from "@/lib/environments/schema";

interface EnvironmentMarkProps {
  environment: Pick<OfferedEnvironment, "name" | "tag">;
  /** the smallest screens show the tag by colour only, to fit the name */
  isShort?: boolean;
}

/** An environment's colour. Its name must be near. */
export function EnvironmentDot({ environment: { tag } }: { environment: Pick<OfferedEnvironment, "tag"> }) {
  return (
    <span
      aria-hidden
      data-mark={tag}
      className={cn("size-2 shrink-0 rounded-full", tag === "Customer" ? "bg-production" : "bg-testing")}
    />
  );
}

/** Shows the environment by colour and name. */
export function EnvironmentMark({ environment: { name, tag }, isShort }: EnvironmentMarkProps) {
  return (
    <span className="inline-flex min-w-0 items-center gap-2">
      <EnvironmentDot environment={{ tag }} />
      <span className="truncate font-medium">{name}</span>{" "}
      {tag !== name && (
        <span
          className={cn(
            "shrink-0 rounded-full border border-border-strong px-2 font-medium text-text-secondary text-xs",
            "leading-4.5",
            isShort && "max-[24rem]:sr-only",
          )}
        >
          {tag}
        </span>
      )}
    </span>
  );
}
