"use client";

import { type UseMutationResult, useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { authFault } from "@/components/members/auth-fault";
import { Button } from "@/components/ui/button";
import { DialogActions } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { ApiError } from "@/lib/api-client";
import { sessionQuery } from "@/lib/members/queries";

/** The password, and the second factor where it is asked for. */
interface Proof {
  password: string;
  code?: string;
}

interface AskPasswordProps {
  /** what the button says */
  verb: string;
  danger?: boolean;
  /** asks for a code of the second factor as well */
  withCode?: boolean;
  /** what takes them */
  attempt: Pick<UseMutationResult<unknown, Error, Proof>, "mutate" | "isPending" | "error">;
  onCancel: () => void;
}

const CODE_FAULTS = ["INVALID_CODE", "INVALID_BACKUP_CODE"];

/** Asks for one's own password before how one signs in is changed. */
export function AskPassword({ verb, danger = false, withCode = false, attempt, onCancel }: AskPasswordProps) {
  const { mutate, isPending, error } = attempt;
  const { data: session } = useQuery(sessionQuery);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const code = String(fields.get("code") ?? "").replaceAll(/\s/g, "");
    mutate({ password: String(fields.get("password")), ...(withCode && { code }) });
  };
  const fault = error ? authFault(error) : undefined;
  const isOfCode = withCode && error instanceof ApiError && CODE_FAULTS.includes(error.code);
  return (
    <form method="post" onSubmit={submit} className="flex flex-col gap-4">
      <input type="email" hidden readOnly autoComplete="username" value={session?.member.email ?? ""} />
      <Field label="Your password" error={isOfCode ? undefined : fault}>
        {(control) => <Input {...control} name="password" type="password" autoComplete="current-password" required />}
      </Field>
      {withCode && (
        <Field label="Code" hint="From your authenticator, or a backup code." error={isOfCode ? fault : undefined}>
          {(control) => <Input {...control} name="code" autoComplete="one-time-code" required className="font-mono" />}
        </Field>
      )}
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant={danger ? "danger" : "primary"} disabled={isPending}>
          {verb}
        </Button>
      </DialogActions>
    </form>
  );
}
