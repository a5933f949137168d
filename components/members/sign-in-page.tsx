"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Failure } from "@/components/failure";
import { EntryPage } from "@/components/members/entry-page";
import { nextPage } from "@/components/members/next-page";
import { PasswordForm } from "@/components/members/password-form";
import { SecondFactorForm } from "@/components/members/second-factor-form";
import { Button, buttonLook } from "@/components/ui/button";
import { signedInQuery, signOut } from "@/lib/members/queries";

/** The way in: a password or the company's sign-on, then perhaps a second factor. */
export function SignInPage() {
  const { data: member } = useQuery(signedInQuery);
  const [step, setStep] = useState<"password" | "second factor">("password");
  const go = () => window.location.assign(nextPage());
  if (step === "second factor") {
    return (
      <EntryPage title="Second factor">
        <SecondFactorForm onDone={go} onBack={() => setStep("password")} />
      </EntryPage>
    );
  }
  if (member) return <SignedInAlready {...member} />;
  return (
    <EntryPage title="Sign in">
      <PasswordForm onDone={(outcome) => (outcome === "signed in" ? go() : setStep("second factor"))} />
    </EntryPage>
  );
}

function SignedInAlready({ name, email }: { name: string; email: string }) {
  const client = useQueryClient();
  const leaving = useMutation({
    mutationFn: signOut,
    onSuccess: () => client.setQueryData(signedInQuery.queryKey, null),
  });
  return (
    <EntryPage title="You are signed in">
      <p className="break-words text-text-muted">
        As <strong className="font-medium text-text">{name}</strong>
        {name !== email && ` (${email})`}.
      </p>
      {leaving.error && <Failure title="You are still signed in" error={leaving.error} />}
      <div className="flex flex-col gap-2">
        <a href={nextPage()} className={buttonLook({ variant: "primary" })}>
          Go on
        </a>
        <Button onClick={() => leaving.mutate()} disabled={leaving.isPending}>
          Sign in as somebody else
        </Button>
      </div>
    </EntryPage>
  );
}
