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
  /** who is expected */
  email?: string;
  /** for a page that has to stay: single sign-on opens in another tab, and this is called */
  onElsewhere?: () => void;
}

/** Asks for email and password, or leads to the company's sign-on. */
export function PasswordForm({ onDone, email, onElsewhere }: PasswordFormProps) {
  const { data: options } = useQuery(signInOptionsQuery);
  const password = useMutation({ mutationFn: askToSignIn, onSuccess: onDone });
  const oidc = useMutation({
    mutationFn: async () => {
      if (!onElsewhere) return window.location.assign(await signInWithOidc(nextPage()));
      // Opened in the click itself: later a browser would take it for a pop-up that nobody asked for.
      const tab = window.open("", "_blank");
      if (!tab) throw new Error("The browser opened no other tab. Allow this page to open one, then try again.");
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
  // Sent before the form is taken over, what was typed would be lost.
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
        <Notice tone="danger" role="alert" title={`${options?.oidc?.name ?? "Single sign-on"} did not let you in`}>
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
        Lost your password? An owner makes a link for you, or whoever runs the service:{" "}
        <code className="break-words font-mono">npm run member -- reset-password EMAIL</code>
      </p>
    </>
  );
}

const UNPROVEN = "The provider does not vouch for your email. Sign in with your password, or ask whoever runs it.";
const NOT_LINKED =
  "The provider does not vouch for your email, or you are known by another account there. Sign in with your password, or ask an owner to unlink the old one.";

/** Why the provider, or better-auth after it, sent one back; the codes of RFC 6749 among them. */
const REFUSALS = new Map([
  ["access_denied", "You or the provider stopped it. Try again, or sign in with your password."],
  ["signup_disabled", "There is no member with the email you have there. Ask an owner for an invitation."],
  ["email_not_found", "The provider did not say your email. Sign in with your password."],
  ["account_not_linked", NOT_LINKED],
  ["unable_to_link_account", NOT_LINKED],
  [
    "unable_to_get_user_info",
    "What the provider sent does not prove who you are. Sign in with your password, and tell the operator: the log has the reason.",
  ],
  ["email_not_verified", UNPROVEN],
  ["INVALID_EMAIL_OR_PASSWORD", "You may not sign in at present. Ask an owner."],
  ["state_mismatch", "It took too long, or another tab came in between. Try again."],
  ["state_not_found", "It took too long, or another tab came in between. Try again."],
]);

function refusalInWords(code: string): string {
  return (
    REFUSALS.get(code) ?? "Try again, or sign in with your password. When it goes on, tell whoever runs the service."
  );
}
