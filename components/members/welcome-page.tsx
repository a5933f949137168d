"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { Failure } from "@/components/failure";
import { EntryPage } from "@/components/members/entry-page";
import { LinkForm } from "@/components/members/link-form";
import { SecondFactorForm } from "@/components/members/second-factor-form";
import { buttonLook } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { Skeleton } from "@/components/ui/skeleton";
import { ApiError } from "@/lib/browser/api-client";
import { linkQuery } from "@/lib/members/queries";

/** Opened by one-time links: for set-up, an invitation or a new password. */
export function WelcomePage() {
  const token = useLinkToken();
  if (token === undefined) return <Waiting />;
  if (token === "") {
    return (
      <EntryPage title="This link is incomplete">
        <p className="text-text-muted">
          One-time links end in a # and a long token, but yours has none. Open the full link as it was printed or sent
          to you. If you reloaded this page, open the link again.
        </p>
        <ToSignIn />
      </EntryPage>
    );
  }
  return <OpenedLink key={token} token={token} />;
}

type Step = "fields" | "second factor" | { failure: Error };

const TITLES = {
  setup: "Create the first owner",
  invite: "Accept your invitation",
  reset_password: "Choose a new password",
} as const;

let opened = 0;

function OpenedLink({ token }: { token: string }) {
  const [number] = useState(() => opened++);
  const { data: link, error, refetch } = useQuery(linkQuery(token, number));
  const [step, setStep] = useState<Step>("fields");
  const go = () => window.location.assign("/");
  if (error instanceof ApiError && error.code === "not_found") return <UnusableLink />;
  if (error && !link) {
    return (
      <EntryPage title="Welcome">
        <Failure title="The link could not be checked" error={error} onRetry={() => void refetch()} />
      </EntryPage>
    );
  }
  if (!link) return <Waiting />;
  if (step === "second factor") {
    return (
      <EntryPage title="Second factor">
        <Notice tone="success" role="status">
          <p>Your new password is set.</p>
        </Notice>
        <SecondFactorForm onDone={go} onBack={() => window.location.assign("/sign-in")} />
      </EntryPage>
    );
  }
  if (step !== "fields") {
    return (
      <EntryPage title="Your password is set">
        <Notice tone="warning" role="alert" title="You are not signed in yet">
          <p>{step.failure.message}</p>
        </Notice>
        <ToSignIn />
      </EntryPage>
    );
  }
  return (
    <EntryPage title={TITLES[link.purpose]}>
      <LinkForm
        link={link}
        token={token}
        onSignedIn={(outcome) => (outcome === "signed in" ? go() : setStep("second factor"))}
        onSignInFailed={(failure) => setStep({ failure })}
      />
    </EntryPage>
  );
}

function UnusableLink() {
  return (
    <EntryPage title="This link does not work">
      <p className="text-text-muted">
        It was already used, has expired or was replaced by a newer one. If you used it yourself, sign in.
      </p>
      <dl className="flex flex-col gap-2 text-text-muted">
        <Advice what="An invitation or a new password">Ask the owner who sent it for a new link.</Advice>
        <Advice what="The set-up link">Restart the service: it prints a new one until there is an owner.</Advice>
      </dl>
      <ToSignIn />
    </EntryPage>
  );
}

function Advice({ what, children }: { what: string; children: ReactNode }) {
  return (
    <div>
      <dt className="font-medium text-text">{what}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function ToSignIn() {
  return (
    <a href="/sign-in" className={buttonLook()}>
      Go to sign-in
    </a>
  );
}

function Waiting() {
  return (
    <EntryPage title="Welcome">
      <div aria-busy className="flex flex-col gap-4">
        {["name", "email", "password"].map((field) => (
          <div key={field} className="flex flex-col gap-1.5">
            <Skeleton className="h-5 w-20" />
            <Skeleton className="h-control" />
          </div>
        ))}
        <Skeleton className="h-control" />
      </div>
    </EntryPage>
  );
}

/**
 * The token after the # of the URL, which is removed from the URL and the history immediately; undefined until it is
 * read, empty if there is none.
 */
function useLinkToken(): string | undefined {
  const [token, setToken] = useState<string>();
  useEffect(() => {
    const take = () => {
      const found = window.location.hash.slice(1);
      if (found) window.history.replaceState(null, "", window.location.pathname);
      setToken((known) => found || known || "");
    };
    take();
    // Another link opened on this page changes only the hash.
    window.addEventListener("hashchange", take);
    return () => window.removeEventListener("hashchange", take);
  }, []);
  return token;
}
