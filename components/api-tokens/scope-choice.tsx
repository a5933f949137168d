"use client";

import { type ComponentProps, useId } from "react";
import { BOX } from "@/components/ui/checkbox";
import { SCOPE_WORDS } from "@/lib/authority/scope-words";
import { SCOPES } from "@/lib/authority/scopes";
import { cn } from "@/lib/browser/class-name";

interface ScopeChoiceProps extends Omit<ComponentProps<"input">, "type" | "value"> {
  error: string | undefined;
}

/** A checkbox for each scope, with what it allows. Other props go to every checkbox. */
export function ScopeChoice({ error, ...props }: ScopeChoiceProps) {
  const id = useId();
  return (
    <fieldset className="flex flex-col gap-2" aria-describedby={error && `${id}-error`}>
      <legend className="mb-1.5 font-medium">Scopes</legend>
      {SCOPES.map((scope) => (
        <label key={scope} htmlFor={`${id}-${scope}`} className="flex gap-3">
          <input
            {...props}
            type="checkbox"
            id={`${id}-${scope}`}
            value={scope}
            aria-label={scope}
            aria-describedby={`${id}-${scope}-hint`}
            className={cn(BOX, "mt-0.5 rounded checked:bg-check")}
          />
          <span className="flex flex-col">
            <span className="font-mono text-xs">{scope}</span>
            <span id={`${id}-${scope}-hint`} className="text-text-muted text-xs">
              {SCOPE_WORDS[scope]}
            </span>
          </span>
        </label>
      ))}
      {error && (
        <p id={`${id}-error`} role="alert" className="text-danger text-xs">
          {error}
        </p>
      )}
    </fieldset>
  );
}
