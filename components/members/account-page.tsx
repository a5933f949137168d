"use client";

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Failure } from "@/components/failure";
import { AccountName } from "@/components/members/account-name";
import { ChangePassword } from "@/components/members/change-password";
import { LinkedAccountList } from "@/components/members/linked-account-list";
import { SessionList } from "@/components/members/session-list";
import { TwoFactor } from "@/components/members/two-factor";
import { PageHeader } from "@/components/page-header";
import { Skeleton } from "@/components/ui/skeleton";
import { accountQuery } from "@/lib/members/account-queries";

export function AccountPage() {
  const { data: account, error, refetch } = useQuery(accountQuery);
  return (
    <>
      <PageHeader title="Your account" />
      {error && !account ? (
        <Failure title="Your account could not be loaded" error={error} onRetry={() => void refetch()} />
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
          <Section title="Sessions" note="Where you are signed in. End unknown sessions and change your password.">
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
