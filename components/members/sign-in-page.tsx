"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { useEffect, useState } from "react";
import { Failure } from "@/components/failure";
import { EntryPage } from "@/components/members/entry-page";
import { nextPage } from "@/components/members/next-page";
import { PasswordForm } from "@/components/members/password-form";
import { SECOND_FACTOR } from "@/components/members/refusals";
import { SecondFactorForm } from "@/components/members/second-factor-form";
import { Button, buttonLook } from "@/components/ui/button";
import { useInBrowser } from "@/components/use-in-browser";
import { signedInQuery, signOut } from "@/lib/members/queries";

/** Password or single sign-on, then a second factor if set up. Redirects signed-in members. */
export function SignInPage({ maySendOn }: { maySendOn: boolean }) {
  const { data: session, isPending } = useQuery(signedInQuery);
  const parameters = useSearchParams();
  const isChallenged = parameters.get("error") === SECOND_FACTOR;
  const [step, setStep] = useState<"password" | "second factor">(isChallenged ? "second factor" : "password");
  const go = () => window.location.assign(nextPage());
  if (session && (parameters.has("switch") || parameters.has("error"))) return <SwitchAccount {...session.member} />;
  if (step === "second factor") {
    return (
      <EntryPage title="Second factor">
        <SecondFactorForm onDone={go} onBack={() => setStep("password")} />
      </EntryPage>
    );
  }
  if (session || (isPending && maySendOn)) return <SendOn isSignedIn={Boolean(session)} />;
  return (
    <EntryPage title="Sign in">
      <PasswordForm onDone={(outcome) => (outcome === "signed in" ? go() : setStep("second factor"))} />
    </EntryPage>
  );
}

/** Replaces the form for signed-in members. */
function SendOn({ isSignedIn }: { isSignedIn: boolean }) {
  useEffect(() => {
    // Replaced, so that Back skips the sign-in page.
    if (isSignedIn) window.location.replace(nextPage());
  }, [isSignedIn]);
  return (
    <EntryPage title="Sign in">
      <p className="text-text-muted">{isSignedIn ? "You are signed in. Opening the dashboard…" : "One moment…"}</p>
    </EntryPage>
  );
}

function SwitchAccount({ name, email }: { name: string; email: string }) {
  const client = useQueryClient();
  const isInBrowser = useInBrowser();
  const leaving = useMutation({
    mutationFn: signOut,
    onSuccess: () => client.setQueryData(signedInQuery.queryKey, null),
  });
  return (
    <EntryPage title="You are signed in">
      <p className="break-words text-text-muted">
        As <strong className="font-medium text-text">{name}</strong>
        {name !== email && ` (${email})`}. Switching accounts signs you out.
      </p>
      {leaving.error && <Failure title="You are still signed in" error={leaving.error} />}
      <div className="flex flex-col gap-2">
        <a href={isInBrowser ? nextPage() : "/"} className={buttonLook({ variant: "primary" })}>
          Continue
        </a>
        <Button onClick={() => leaving.mutate()} disabled={leaving.isPending}>
          Switch account
        </Button>
      </div>
    </EntryPage>
  );
}
