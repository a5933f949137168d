import type { ReactNode } from "react";
import { RelativeTime } from "@/components/relative-time";
import { cn } from "@/lib/browser/class-name";
import type { LinkedAccount } from "@/lib/members/schema";

/** An entry of a list in the account, such as a session. */
export const LISTED = cn(
  "flex min-h-14 items-center justify-between gap-3 border-border border-b py-2 pr-2 pl-3",
  "last:border-b-0",
);

interface LinkedAccountListProps {
  accounts: LinkedAccount[];
  action?: (account: LinkedAccount) => ReactNode;
}

/** A member's accounts at the provider. */
export function LinkedAccountList({ accounts, action }: LinkedAccountListProps) {
  return (
    <ul aria-label="Linked accounts" className="rounded-md border border-border bg-surface">
      {accounts.map((account) => (
        <li key={account.id} className={LISTED}>
          <div className="min-w-0">
            <p className="break-all font-mono text-xs leading-5">{account.subject}</p>
            <p className="text-text-muted text-xs">
              Linked <RelativeTime at={account.linkedAt} />
            </p>
          </div>
          {action?.(account)}
        </li>
      ))}
    </ul>
  );
}
