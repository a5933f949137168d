"use client";

import { zodResolver } from "@hookform/resolvers/zod";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useId, useState } from "react";
import { type UseFormReturn, useForm } from "react-hook-form";
import type { z } from "zod";
import { Failure } from "@/components/failure";
import { placeIssues, sentence } from "@/components/form-issues";
import { EntryPage } from "@/components/members/entry-page";
import { NewPassword } from "@/components/members/new-password";
import { SecondFactorForm } from "@/components/members/second-factor-form";
import { ROLES } from "@/components/roles";
import { Button, buttonLook } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { Skeleton } from "@/components/ui/skeleton";
import { TextField } from "@/components/ui/text-field";
import { ApiError } from "@/lib/browser/api-client";
import { askToAcceptLink, askToSignIn, linkQuery } from "@/lib/members/queries";
import { LINK_FIELDS, type Link, linkForm } from "@/lib/members/schema";

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

const TITLES = {
  setup: "Create the first owner",
  invite: "Accept your invitation",
  reset_password: "Choose a new password",
} as const;

function OpenedLink({ token }: { token: string }) {
  const { data: link, error, refetch } = useQuery(linkQuery(token, useId()));
  const [isChallenged, setChallenged] = useState(false);
  if (error instanceof ApiError && error.code === "not_found") return <UnusableLink />;
  if (error && !link) {
    return (
      <EntryPage title="Welcome">
        <Failure title="The link could not be checked" error={error} onRetry={refetch} />
      </EntryPage>
    );
  }
  if (!link) return <Waiting />;
  if (isChallenged) {
    return (
      <EntryPage title="Second factor">
        <Notice tone="success" role="status">
          <p>Your new password is set.</p>
        </Notice>
        <SecondFactorForm onDone={() => window.location.assign("/")} onBack={toSignIn} />
      </EntryPage>
    );
  }
  return (
    <EntryPage title={TITLES[link.purpose]}>
      <LinkForm link={link} token={token} onChallenged={() => setChallenged(true)} />
    </EntryPage>
  );
}

const toSignIn = () => window.location.assign("/sign-in");

function UnusableLink() {
  return (
    <EntryPage title="This link does not work">
      <p className="text-text-muted">
        It was already used, has expired or was replaced by a newer one. If you used it yourself, sign in.
      </p>
      <p className="text-text-muted">
        Otherwise ask the owner who sent it for a new link. Until there is an owner, the service prints a new set-up
        link when it restarts.
      </p>
      <ToSignIn />
    </EntryPage>
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
      <Skeleton className="h-60" />
    </EntryPage>
  );
}

/**
 * The token after the # of the URL, which is immediately removed from the URL and the history. Undefined until it is
 * read, empty if the URL has none.
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
    // Opening another link on this page changes only the hash.
    window.addEventListener("hashchange", take);
    return () => window.removeEventListener("hashchange", take);
  }, []);
  return token;
}

type Fields = z.input<ReturnType<typeof linkForm>>;
type Values = z.output<ReturnType<typeof linkForm>>;

interface LinkFormProps {
  link: Link;
  token: string;
  /** called if sign-in needs a second factor */
  onChallenged: () => void;
}

const VERBS = { setup: "Create owner", invite: "Join", reset_password: "Set password" } as const;

/** Uses a one-time link, then signs in. */
function LinkForm({ link, token, onChallenged }: LinkFormProps) {
  const { purpose, email } = link;
  const form: UseFormReturn<Fields, unknown, Values> = useForm({
    resolver: zodResolver(linkForm(purpose)),
  });
  const { register, formState, handleSubmit } = form;
  const [failure, setFailure] = useState<Error>();
  const typed = form.watch();
  const asked: readonly string[] = LINK_FIELDS[purpose];
  const submit = handleSubmit(async (values) => {
    setFailure(undefined);
    let accepted: string;
    try {
      accepted = await askToAcceptLink({ token, ...values });
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (!placeIssues(error, form, ["name", "email", "password"])) setFailure(error);
      return;
    }
    await askToSignIn({ email: accepted, password: values.password }).then((outcome) => {
      if (outcome === "signed in") window.location.assign("/");
      else onChallenged();
      // The link has set the password, so the member can sign in with it.
    }, toSignIn);
  });
  const message = (name: keyof Fields) => sentence(formState.errors[name]?.message);
  return (
    <>
      <Lead {...link} />
      <form method="post" onSubmit={submit} noValidate className="flex flex-col gap-4">
        {asked.includes("name") && (
          <TextField label="Name" error={message("name")} {...register("name")} autoComplete="name" autoFocus />
        )}
        {asked.includes("email") && (
          <TextField
            label="Email"
            hint="Used to sign in."
            error={message("email")}
            {...register("email")}
            type="email"
            autoComplete="username"
          />
        )}
        {email !== null && <TextField label="Email" type="email" value={email} readOnly autoComplete="username" />}
        <NewPassword
          register={() => register("password")}
          label={purpose === "reset_password" ? "New password" : "Password"}
          error={message("password")}
          typed={typed.password}
          chooser={{ name: link.name ?? typed.name ?? "", email: email ?? typed.email ?? "" }}
        />
        {failure && <Failure title="This did not work" error={failure} />}
        <Button type="submit" variant="primary" disabled={formState.isSubmitting}>
          {VERBS[purpose]}
        </Button>
      </form>
    </>
  );
}

function Lead({ purpose, role, name }: Link) {
  if (purpose === "setup") {
    return <p className="text-text-muted">No one can sign in yet. You become the first owner and can invite others.</p>;
  }
  if (purpose === "invite") {
    const { label, hint } = ROLES.find(({ value }) => value === role) ?? {};
    return (
      <p className="text-text-muted">
        Your role: <strong className="font-medium text-text">{label}</strong>. {hint}
      </p>
    );
  }
  return <p className="text-text-muted">For {name}. It replaces the old one and ends all your sessions.</p>;
}
