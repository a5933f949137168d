import { KeyRound, Terminal } from "lucide-react";
import { HUES, hueOf } from "@/components/ui/hue";
import { cn } from "@/lib/browser/class-name";

const FACE = "inline-flex size-5.5 shrink-0 items-center justify-center";

/** A person's initials in their colour. The name must be next to it, or be the name of the control around it. */
export function Face({ name }: { name: string }) {
  return (
    <span aria-hidden className={cn(FACE, "rounded-full font-semibold text-[9.5px] leading-none", HUES[hueOf(name)])}>
      {initials(name)}
    </span>
  );
}

const PROGRAMS = { api_token: KeyRound, operator: Terminal };

export interface ActorFaceProps {
  actor: { name: string; type?: "member" | "visitor" | keyof typeof PROGRAMS };
}

/** The face of an actor: a person's, or an icon for an API token or a command on the machine. */
export function ActorFace({ actor: { name, type } }: ActorFaceProps) {
  if (type !== "api_token" && type !== "operator") return <Face name={name} />;
  const Icon = PROGRAMS[type];
  return (
    <span aria-hidden className={cn(FACE, "rounded-md bg-hue-3 text-hue-3-text [&_svg]:size-3")}>
      <Icon />
    </span>
  );
}

function initials(name: string): string {
  const words = name.split(/[\s.@_-]+/).filter(Boolean);
  return [words[0], words.length > 1 ? words[1] : undefined]
    .map((word) => [...(word ?? "")][0] ?? "")
    .join("")
    .toUpperCase();
}
