import { type ComponentProps, useEffect, useState } from "react";
import { SecretInput } from "@/components/secret-input";
import { Field } from "@/components/ui/field";
import { MIN_PASSWORD } from "@/lib/auth/password-length";
import type { Chooser } from "@/lib/auth/password-strength";
import { cn } from "@/lib/browser/class-name";

type Strength = "short" | "unknown" | "weak" | "sound";

const LOOKS: Record<Strength, { parts: number; className: string }> = {
  short: { parts: 1, className: "bg-control" },
  unknown: { parts: 2, className: "bg-control" },
  weak: { parts: 2, className: "bg-warning" },
  sound: { parts: 3, className: "bg-success" },
};

interface NewPasswordProps {
  /** registers the field. Must be called in the order of the fields, as the form focuses the first wrong one */
  register: () => ComponentProps<typeof SecretInput>;
  label: string;
  error: string | undefined;
  typed: string | undefined;
  /** who chooses the password, if known: their own name is easy to guess */
  chooser: Partial<Chooser> | undefined;
}

/** A field for a new password, judged while typing by the rules that the service applies. */
export function NewPassword({ register, label, error, typed = "", chooser }: NewPasswordProps) {
  const strength = useStrength(typed, chooser);
  return (
    <Field
      label={label}
      error={error}
      hint={
        error && strength === "weak" ? undefined : typed === "" ? (
          `At least ${MIN_PASSWORD} characters. A few random words are easy to remember and hard to guess.`
        ) : (
          <Judged strength={strength} missing={MIN_PASSWORD - typed.length} />
        )
      }
    >
      {(control) => <SecretInput {...register()} {...control} autoComplete="new-password" />}
    </Field>
  );
}

function Judged({ strength, missing }: { strength: Strength; missing: number }) {
  const { parts, className } = LOOKS[strength];
  return (
    <span className="flex flex-col gap-1.5">
      <span aria-hidden className="flex gap-1">
        {[1, 2, 3].map((part) => (
          <span
            key={part}
            className={cn("h-1 flex-1 rounded-full", part <= parts ? className : "bg-pressed", "forced-colors:border")}
          />
        ))}
      </span>
      {strength === "short" && `${missing} more ${missing === 1 ? "character" : "characters"}.`}
      {strength === "unknown" && "Long enough."}
      <span role="status" className={strength === "weak" ? "text-warning" : undefined}>
        {strength === "weak" && "Easy to guess. Use several words or a password manager."}
        {strength === "sound" && "Strong enough."}
      </span>
    </span>
  );
}

/** Wait after the last key, in milliseconds. */
const PAUSE_MS = 150;

/** Unknown until the code that judges has loaded, or if it cannot be loaded. */
function useStrength(typed: string, { name = "", email = "" }: Partial<Chooser> = {}): Strength {
  const [judged, setJudged] = useState<{ typed: string; isWeak: boolean }>();
  const isLong = typed.length >= MIN_PASSWORD;
  useEffect(() => {
    if (!isLong) return undefined;
    let isOver = false;
    const judge = async () => {
      const { isSoonGuessed } = await import("@/lib/auth/password-strength");
      const isWeak = await isSoonGuessed(typed, { name, email });
      if (!isOver) setJudged({ typed, isWeak });
    };
    const timer = setTimeout(() => judge().catch(() => undefined), PAUSE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [typed, isLong, name, email]);
  if (!isLong) return "short";
  if (judged?.typed !== typed) return "unknown";
  return judged.isWeak ? "weak" : "sound";
}
