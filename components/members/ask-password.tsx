import { useQuery } from "@tanstack/react-query";
import type { ComponentProps, FormEvent } from "react";
import { ActionButtons } from "@/components/action-buttons";
import { ActionDialog } from "@/components/confirm-dialog";
import { authFault } from "@/components/members/auth-fault";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import type { Action } from "@/components/use-action";
import { ApiError } from "@/lib/browser/api-client";
import { sessionQuery } from "@/lib/members/queries";

interface Proof {
  password: string;
  code?: string;
}

interface AskPasswordProps extends Omit<ComponentProps<typeof ActionButtons>, "action"> {
  title: string;
  description: string;
  /** also asks for a second factor code */
  withCode?: boolean;
  action: Action<Proof>;
}

const CODE_FAULTS = ["INVALID_CODE", "INVALID_BACKUP_CODE"];

/** Asks for the password before sign-in settings change. */
export function AskPassword(props: AskPasswordProps) {
  const { title, description, withCode = false, action, onClose, ...buttons } = props;
  const { run, error } = action;
  const { data: session } = useQuery(sessionQuery);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const code = String(fields.get("code") ?? "").replaceAll(/\s/g, "");
    run({ password: String(fields.get("password")), ...(withCode && { code }) });
  };
  const fault = error ? authFault(error) : undefined;
  const isOfCode = withCode && error instanceof ApiError && CODE_FAULTS.includes(error.code);
  return (
    <ActionDialog environment={null} {...{ action, onClose, title, description }}>
      <form method="post" onSubmit={submit} className="flex flex-col gap-4">
        <input type="email" hidden readOnly autoComplete="username" value={session?.member.email ?? ""} />
        <Field label="Your password" error={isOfCode ? undefined : fault}>
          {(control) => <Input {...control} name="password" type="password" autoComplete="current-password" required />}
        </Field>
        {withCode && (
          <Field label="Code" hint="From your authenticator, or a backup code." error={isOfCode ? fault : undefined}>
            {(control) => (
              <Input {...control} name="code" autoComplete="one-time-code" required className="font-mono" />
            )}
          </Field>
        )}
        <ActionButtons action={action} onClose={onClose} {...buttons} />
      </form>
    </ActionDialog>
  );
}
