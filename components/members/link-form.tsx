import { zodResolver } from "@hookform/resolvers/zod";
import { useState } from "react";
import { type UseFormReturn, useForm } from "react-hook-form";
import type { z } from "zod";
import { Failure } from "@/components/failure";
import { placeIssues, sentence } from "@/components/form-issues";
import { NewPassword } from "@/components/members/new-password";
import { ROLES } from "@/components/roles";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { askToAcceptLink, askToSignIn } from "@/lib/members/queries";
import { LINK_FIELDS, type Link, linkForm } from "@/lib/members/schema";

type Fields = z.input<ReturnType<typeof linkForm>>;
type Values = z.output<ReturnType<typeof linkForm>>;

interface LinkFormProps {
  link: Link;
  token: string;
  onSignedIn: (outcome: Awaited<ReturnType<typeof askToSignIn>>) => void;
  /** the link worked, but the sign-in after it failed */
  onSignInFailed: (error: Error) => void;
}

const VERBS = { setup: "Create owner", invite: "Join", reset_password: "Set password" } as const;

/** Uses a one-time link, then signs in. */
export function LinkForm({ link, token, onSignedIn, onSignInFailed }: LinkFormProps) {
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
    await askToSignIn({ email: accepted, password: values.password }).then(onSignedIn, onSignInFailed);
  });
  const message = (name: keyof Fields) => sentence(formState.errors[name]?.message);
  return (
    <>
      <Lead {...link} />
      <form method="post" onSubmit={submit} noValidate className="flex flex-col gap-4">
        {asked.includes("name") && (
          <Field label="Name" error={message("name")}>
            {(control) => <Input {...register("name")} {...control} autoComplete="name" autoFocus />}
          </Field>
        )}
        {asked.includes("email") && (
          <Field label="Email" hint="Used to sign in." error={message("email")}>
            {(control) => <Input {...register("email")} {...control} type="email" autoComplete="username" />}
          </Field>
        )}
        {email !== null && (
          <Field label="Email">
            {(control) => <Input {...control} type="email" value={email} readOnly autoComplete="username" />}
          </Field>
        )}
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
