"use client";

import { Eye, EyeOff } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { MIN_PASSWORD } from "@/lib/members/schema";

/** What to know before choosing a password. */
export const PASSWORD_HINT = `At least ${MIN_PASSWORD} characters. A few words in a row are easy to keep and hard to guess.`;

/** A password, which can be looked at while it is typed. */
export function PasswordInput(props: Omit<ComponentProps<"input">, "type" | "className">) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <div className="relative">
      <Input
        {...props}
        type={shown ? "text" : "password"}
        spellCheck={false}
        autoCapitalize="none"
        className="pr-control"
      />
      <Button
        variant="ghost"
        size="icon"
        className="absolute inset-y-0 right-0"
        aria-pressed={shown}
        aria-label="Show what is typed"
        title={shown ? "Hide what is typed" : "Show what is typed"}
        onClick={() => setShown(!shown)}
      >
        <Icon aria-hidden />
      </Button>
    </div>
  );
}
