"use client";

import { useState } from "react";
import { EntryPage } from "@/components/members/entry-page";
import { PasswordForm } from "@/components/members/password-form";
import { SecondFactorForm } from "@/components/members/second-factor-form";

/** The way in: a password or the company's sign-on, then perhaps a second factor. */
export function SignInPage() {
  const [step, setStep] = useState<"password" | "second factor">("password");
  const go = () => window.location.assign(nextPage());
  return (
    <EntryPage title={step === "password" ? "Sign in" : "Second factor"}>
      {step === "password" ? (
        <PasswordForm onDone={(outcome) => (outcome === "signed in" ? go() : setStep("second factor"))} />
      ) : (
        <SecondFactorForm onDone={go} onBack={() => setStep("password")} />
      )}
    </EntryPage>
  );
}

/** Where one wanted to go, if that is a page of ours: an address from elsewhere must not lead away. */
export function nextPage(): string {
  const next = new URLSearchParams(window.location.search).get("next") ?? "/";
  const url = new URL(next, window.location.origin);
  return url.origin === window.location.origin ? url.pathname + url.search : "/";
}
