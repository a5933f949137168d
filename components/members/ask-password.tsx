"use client";

import { type UseMutationResult, useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { authFault } from "@/components/members/auth-fault";
import { Button } from "@/components/ui/button";
import { DialogActions } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { sessionQuery } from "@/lib/members/queries";

interface AskPasswordProps {
  /** what the button says */
  verb: string;
  danger?: boolean;
  /** what takes the password */
  attempt: Pick<UseMutationResult<unknown, Error, string>, "mutate" | "isPending" | "error">;
  onCancel: () => void;
}

/** Asks for one's own password before how one signs in is changed. */
export function AskPassword({ verb, danger = false, attempt, onCancel }: AskPasswordProps) {
  const { mutate, isPending, error } = attempt;
  const { data: session } = useQuery(sessionQuery);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    mutate(String(new FormData(event.currentTarget).get("password")));
  };
  return (
    <form method="post" onSubmit={submit} className="flex flex-col gap-4">
      <input type="email" hidden readOnly autoComplete="username" value={session?.member.email ?? ""} />
      <Field label="Your password" error={error ? authFault(error) : undefined}>
        {(control) => <Input {...control} name="password" type="password" autoComplete="current-password" required />}
      </Field>
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant={danger ? "danger" : "primary"} disabled={isPending}>
          {verb}
        </Button>
      </DialogActions>
    </form>
  );
}
