"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import type { FormEvent } from "react";
import { authFault } from "@/components/members/auth-fault";
import { nextPage } from "@/components/members/next-page";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Notice } from "@/components/ui/notice";
import { useInBrowser } from "@/components/use-in-browser";
import { askToSignIn, signInOptionsQuery, signInWithOidc } from "@/lib/members/queries";

type Outcome = Awaited<ReturnType<typeof askToSignIn>>;

interface PasswordFormProps {
  onDone: (outcome: Outcome) => void;
  /** prefilled */
  email?: string;
  /** keeps this page: single sign-on opens in another tab, then this is called */
  onElsewhere?: () => void;
}

/** Email and password, or single sign-on. */
export function PasswordForm({ onDone, email, onElsewhere }: PasswordFormProps) {
  const { data: options } = useQuery(signInOptionsQuery);
  const password = useMutation({ mutationFn: askToSignIn, onSuccess: onDone });
  const oidc = useMutation({
    mutationFn: async () => {
      if (!onElsewhere) return window.location.assign(await signInWithOidc(nextPage()));
      // Opened within the click: later, a browser would block it as a pop-up.
      const tab = window.open("", "_blank");
      if (!tab) throw new Error("The browser blocked the new tab. Allow pop-ups for this page, then try again.");
      try {
        tab.location.href = await signInWithOidc(`${window.location.origin}/sign-in`);
      } catch (error) {
        tab.close();
        throw error;
      }
      onElsewhere();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    password.mutate({ email: String(fields.get("email")), password: String(fields.get("password")) });
  };
  const error = password.error ?? oidc.error;
  // Submitting before hydration would lose the input.
  const isInBrowser = useInBrowser();
  const refusal = useSearchParams().get("error");
  return (
    <>
      {options && !options.setUp && (
        <Notice title="Nobody can sign in yet">
          <p>The service printed a one-time set-up link when it started: open it to create the first owner.</p>
        </Notice>
      )}
      {refusal && !error && (
        <Notice tone="danger" role="alert" title={`${options?.oidc?.name ?? "Single sign-on"} could not sign you in`}>
          <p>{refusalInWords(refusal)}</p>
        </Notice>
      )}
      <form method="post" onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Email">
          {(control) => (
            <Input {...control} name="email" type="email" defaultValue={email} autoComplete="username" required />
          )}
        </Field>
        <Field label="Password">
          {(control) => (
            <Input
              {...control}
              name="password"
              type="password"
              autoComplete="current-password"
              required
              data-first={email !== undefined || undefined}
            />
          )}
        </Field>
        {error && (
          <Notice tone="danger" role="alert">
            {authFault(error)}
          </Notice>
        )}
        <Button type="submit" variant="primary" disabled={password.isPending || !isInBrowser}>
          Sign in
        </Button>
      </form>
      {options?.oidc && (
        <Button onClick={() => oidc.mutate()} disabled={oidc.isPending}>
          Sign in with {options.oidc.name}
        </Button>
      )}
      <p className="text-text-muted text-xs">
        Lost your password? Ask an owner for a reset link, or the operator to run{" "}
        <code className="break-words font-mono">npm run member -- reset-password EMAIL</code>
      </p>
    </>
  );
}

const UNPROVEN = "The provider has not verified your email. Sign in with your password, or ask the provider.";
const NOT_LINKED =
  "The provider has not verified your email, or another account there is linked to you. Sign in with your password, or ask an owner to unlink it.";

/** Error codes of the provider (RFC 6749) and of better-auth. */
const REFUSALS = new Map([
  ["access_denied", "You or the provider cancelled it. Try again, or sign in with your password."],
  ["signup_disabled", "No member has the email you use there. Ask an owner for an invitation."],
  ["email_not_found", "The provider did not send your email. Sign in with your password."],
  ["account_not_linked", NOT_LINKED],
  ["unable_to_link_account", NOT_LINKED],
  [
    "unable_to_get_user_info",
    "The provider’s response could not be verified. Sign in with your password, and tell the operator: the reason is in the log.",
  ],
  ["email_not_verified", UNPROVEN],
  ["INVALID_EMAIL_OR_PASSWORD", "You cannot sign in at the moment. Ask an owner."],
  ["state_mismatch", "It took too long, or another tab interfered. Try again."],
  ["state_not_found", "It took too long, or another tab interfered. Try again."],
]);

function refusalInWords(code: string): string {
  return REFUSALS.get(code) ?? "Try again, or sign in with your password. If it keeps failing, tell the operator.";
}
