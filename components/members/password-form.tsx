"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { nextPage } from "@/components/members/sign-in-page";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Notice } from "@/components/ui/notice";
import { ApiError } from "@/lib/api-client";
import { signIn, signInOptionsQuery, signInWithOidc } from "@/lib/members/queries";

type Outcome = Awaited<ReturnType<typeof signIn>>;

/** Asks for email and password, or leads to the company's sign-on. */
export function PasswordForm({ onDone }: { onDone: (outcome: Outcome) => void }) {
  const { data: options } = useQuery(signInOptionsQuery);
  const password = useMutation({ mutationFn: signIn, onSuccess: onDone });
  const oidc = useMutation({
    mutationFn: () => signInWithOidc(nextPage()),
    onSuccess: (url) => window.location.assign(url),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    password.mutate({ email: String(fields.get("email")), password: String(fields.get("password")) });
  };
  const error = password.error ?? oidc.error;
  return (
    <>
      {options && !options.setUp && (
        <Notice title="Nobody can sign in yet">
          <p>The service printed a one-time set-up link when it started: open it to create the first owner.</p>
        </Notice>
      )}
      <form method="post" onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Email">
          {(control) => <Input {...control} name="email" type="email" autoComplete="username" required />}
        </Field>
        <Field label="Password">
          {(control) => <Input {...control} name="password" type="password" autoComplete="current-password" required />}
        </Field>
        {error && (
          <Notice tone="danger" role="alert">
            {inWords(error)}
          </Notice>
        )}
        <Button type="submit" variant="primary" disabled={password.isPending}>
          Sign in
        </Button>
      </form>
      {options?.oidc && (
        <Button onClick={() => oidc.mutate()} disabled={oidc.isPending}>
          Sign in with {options.oidc.name}
        </Button>
      )}
      <p className="text-text-muted text-xs">
        Lost your password? Whoever runs the service makes a link for you:{" "}
        <code className="break-words font-mono">npm run member -- reset-password EMAIL</code>
      </p>
    </>
  );
}

function inWords(error: Error): string {
  const isRefused = error instanceof ApiError && error.code === "INVALID_EMAIL_OR_PASSWORD";
  return isRefused ? "The email or the password is not right." : error.message;
}
