"use client";

import { useQuery } from "@tanstack/react-query";
import { ShieldCheck, ShieldOff } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { useForm } from "react-hook-form";
import { Failure } from "@/components/failure";
import { placeIssues, sentence } from "@/components/form-issues";
import { authFault } from "@/components/members/auth-fault";
import { describeDevice } from "@/components/members/device";
import { LISTED, LinkedAccountList } from "@/components/members/linked-account-list";
import { NewPassword } from "@/components/members/new-password";
import { PageHeader } from "@/components/page-header";
import { RelativeTime } from "@/components/relative-time";
import { roleName } from "@/components/roles";
import { SecretField } from "@/components/secret-input";
import { Button } from "@/components/ui/button";
import { onDemand, useOpen } from "@/components/ui/on-demand";
import { Skeleton } from "@/components/ui/skeleton";
import { TextField } from "@/components/ui/text-field";
import { useAction } from "@/components/use-action";
import { MIN_PASSWORD } from "@/lib/auth/password-length";
import { ApiError } from "@/lib/browser/api-client";
import { accountQuery, askToEndSession, changePassword, renameAccount } from "@/lib/members/account-queries";
import { membersKey, sessionQuery } from "@/lib/members/queries";
import type { Account } from "@/lib/members/schema";

export function AccountPage() {
  const { data: account, error, refetch } = useQuery(accountQuery);
  return (
    <>
      <PageHeader title="Your account" />
      {error && !account ? (
        <Failure title="Your account could not be loaded" error={error} onRetry={refetch} />
      ) : (
        <div className="flex flex-col gap-6">
          <Section title="You" note="Your name appears in the activity, next to your changes.">
            {account ? <AccountName account={account} /> : <Skeleton className="h-40" />}
          </Section>
          <Section title="Password" note="You need the current one to set a new one.">
            <ChangePassword />
          </Section>
          <Section title="Second factor" note="A code from an app on your phone, asked for after the password.">
            {account ? <TwoFactor isOn={account.twoFactor} /> : <Skeleton className="h-16" />}
          </Section>
          {account && account.accounts.length > 0 && (
            <Section title="Single sign-on" note="These provider accounts sign in as you. Owners can unlink them.">
              <LinkedAccountList accounts={account.accounts} />
            </Section>
          )}
          <Section
            title="Sessions"
            note="Where you are signed in. If you do not recognize a session, end it and change your password."
          >
            {account ? <SessionList sessions={account.sessions} /> : <Skeleton className="h-24" />}
          </Section>
        </div>
      )}
    </>
  );
}

function Section({ title, note, children }: { title: string; note: string; children: ReactNode }) {
  return (
    <section className="grid gap-x-8 gap-y-3 border-border border-t pt-6 md:grid-cols-[240px_minmax(0,1fr)]">
      <div className="flex flex-col gap-1">
        <h2 className="font-semibold text-base">{title}</h2>
        <p className="text-text-muted">{note}</p>
      </div>
      <div className="min-w-0">{children}</div>
    </section>
  );
}

/** The name can be changed here; email and role cannot. */
function AccountName({ account }: { account: Account }) {
  const form = useForm({ values: { name: account.name } });
  const { errors, isDirty } = form.formState;
  const rename = useAction({
    act: renameAccount,
    wasDone: async (name, read) => (await read(accountQuery)).name === name,
    failed: "Your name was not changed",
    done: () => ({ title: "Your name was changed" }),
    reads: [accountQuery.queryKey, sessionQuery.queryKey, membersKey],
  });
  const save = form.handleSubmit(({ name }) => rename.run(name, (error) => placeIssues(error, form, ["name"])));
  return (
    <form onSubmit={save} noValidate className="flex max-w-md flex-col gap-4">
      <TextField label="Name" error={sentence(errors.name?.message)} {...form.register("name")} autoComplete="name" />
      <dl className="flex flex-wrap gap-x-8 gap-y-3">
        <div className="min-w-0">
          <dt className="font-medium">Email</dt>
          <dd className="break-words text-text-muted">{account.email}</dd>
        </div>
        <div>
          <dt className="font-medium">Role</dt>
          <dd className="text-text-muted">{roleName(account.role)}</dd>
        </div>
      </dl>
      {rename.error && !errors.name && <Failure title={rename.failed} error={rename.error} />}
      <div>
        <Button type="submit" disabled={rename.state !== "ready" || !isDirty}>
          Save name
        </Button>
      </div>
    </form>
  );
}

/** Fields by better-auth's error code. */
const FIELDS = new Map<string, "currentPassword" | "newPassword">([
  ["INVALID_PASSWORD", "currentPassword"],
  ["PASSWORD_SOON_GUESSED", "newPassword"],
  ["PASSWORD_TOO_LONG", "newPassword"],
]);

const fieldOf = (error: Error) => (error instanceof ApiError ? FIELDS.get(error.code) : undefined);
const isLong = (text: string) => text.length >= MIN_PASSWORD || `must have at least ${MIN_PASSWORD} characters`;

function ChangePassword() {
  const { data: session } = useQuery(sessionQuery);
  const { register, handleSubmit, formState, reset, setError, watch } = useForm({
    defaultValues: { currentPassword: "", newPassword: "" },
  });
  const { errors } = formState;
  const change = useAction({
    act: changePassword,
    undone: "The response was lost: if the current password is wrong now, it was changed.",
    failed: "Your password was not changed",
    done: () => ({ title: "Your password was changed", description: "All your other sessions have ended." }),
    onDone: () => reset(),
    reads: [accountQuery.queryKey],
  });
  const { error } = change;
  const place = (error: Error) => {
    const field = fieldOf(error);
    if (field) setError(field, { message: authFault(error) }, { shouldFocus: true });
  };
  const save = handleSubmit((values) => change.run(values, place));
  return (
    <form method="post" onSubmit={save} noValidate className="flex max-w-md flex-col gap-4">
      <input type="email" hidden readOnly autoComplete="username" value={session?.member.email ?? ""} />
      <SecretField
        label="Current password"
        error={sentence(errors.currentPassword?.message)}
        {...register("currentPassword", { required: "is required" })}
        autoComplete="current-password"
      />
      <NewPassword
        register={() => register("newPassword", { validate: isLong })}
        label="New password"
        error={sentence(errors.newPassword?.message)}
        typed={watch("newPassword")}
        chooser={session?.member}
      />
      <p className="text-text-muted">This signs you out of all other browsers.</p>
      {error && !fieldOf(error) && <Failure title={change.failed} error={error} />}
      <div>
        <Button type="submit" disabled={change.state !== "ready"}>
          Change password
        </Button>
      </div>
    </form>
  );
}

const dialogs = onDemand(() => import("@/components/members/two-factor-dialogs"));
const TWO_FACTOR = {
  "set up": dialogs.part("SetUpTwoFactor"),
  codes: dialogs.part("NewBackupCodes"),
  "turn off": dialogs.part("TurnOffTwoFactor"),
};

function TwoFactor({ isOn }: { isOn: boolean }) {
  const [open, show, close] = useOpen<keyof typeof TWO_FACTOR>(dialogs);
  const Open = open && TWO_FACTOR[open];
  const Icon = isOn ? ShieldCheck : ShieldOff;
  return (
    <div className="flex flex-col gap-3">
      <p className="flex items-center gap-2">
        <Icon aria-hidden className={isOn ? "size-4 text-success" : "size-4 text-text-muted"} />
        {isOn ? "On." : "Off. Anyone with your password can sign in."}
      </p>
      <div className="flex flex-wrap gap-2">
        {/* One button for both, so that the focus can return to it. */}
        <Button onClick={() => show(isOn ? "turn off" : "set up")}>
          {isOn ? "Turn off" : "Turn on second factor"}
        </Button>
        {isOn && <Button onClick={() => show("codes")}>Create new backup codes</Button>}
      </div>
      {Open && <Open onClose={close} />}
    </div>
  );
}

const dialog = onDemand(() => import("@/components/members/sign-out-everywhere"));
const SignOutEverywhere = dialog.part("SignOutEverywhere");

type Session = Account["sessions"][number];

function SessionList({ sessions }: { sessions: Session[] }) {
  const [asking, ask, close] = useOpen<"others" | "all">(dialog);
  const list = useRef<HTMLUListElement>(null);
  const ending = useAction({
    act: ({ id }: Session) => askToEndSession(id),
    wasDone: async ({ id }, read) => !(await read(accountQuery)).sessions.some((one) => one.id === id),
    failed: "The session was not ended",
    isBare: true,
    done: ({ userAgent }) => ({ title: `The session in ${describeDevice(userAgent)} has ended` }),
    // The focused button disappears with its session.
    onDone: () => list.current?.focus(),
    reads: [accountQuery.queryKey],
  });
  return (
    <div className="flex flex-col gap-3">
      <ul ref={list} tabIndex={-1} aria-label="Sessions" className="rounded-md border border-border bg-surface">
        {sessions.map((session) => (
          <li key={session.id} className={LISTED}>
            <div className="min-w-0">
              <p className="flex flex-wrap items-center gap-x-2 font-medium">
                {describeDevice(session.userAgent)}
                {session.current && <span className="font-normal text-success text-xs">This session</span>}
              </p>
              <p className="break-words text-text-muted text-xs">
                Active <RelativeTime at={session.updatedAt} />
                {session.ipAddress && ` · ${session.ipAddress}`}
                {" · signed in "}
                <RelativeTime at={session.createdAt} />
              </p>
            </div>
            {!session.current && (
              <Button
                variant="ghost"
                disabled={ending.state !== "ready"}
                aria-label={`End the session in ${describeDevice(session.userAgent)}`}
                onClick={() => ending.run(session)}
              >
                End
              </Button>
            )}
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        {sessions.length > 1 && <Button onClick={() => ask("others")}>Sign out all others</Button>}
        <Button onClick={() => ask("all")}>Sign out everywhere</Button>
      </div>
      {asking && <SignOutEverywhere others={asking === "others"} onClose={close} />}
    </div>
  );
}
