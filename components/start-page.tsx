import type { ReactNode } from "react";
import { MessagePage } from "@/components/message-page";

const CALLS = [
  ["GET", "/api/user", "get a user group, or create it"],
  ["PUT", "/api/user", "update it"],
  ["POST", "/api/user", "rotate its token"],
  ["POST", "/api/user/get-or-create", "the first call again, for clients that cannot send a GET with a body"],
] as const;

/** What stands here until somebody signs in: where the API is, and how to get in. */
export function StartPage() {
  return (
    <MessagePage title="User groups">
      <p className="text-text-muted">
        This service keeps user groups and issues the token that tells an embedded dashboard which group is viewing.
        Programs use it through this API:
      </p>
      <dl className="divide-y divide-border overflow-hidden rounded-md border border-border bg-surface">
        {CALLS.map(([method, path, purpose]) => (
          <div key={method + path} className="flex flex-col gap-1 px-4 py-3 sm:flex-row sm:gap-4">
            <dt className="shrink-0 sm:w-64">
              <Code>
                {method} {path}
              </Code>
            </dt>
            <dd className="text-text-muted">{purpose}</dd>
          </div>
        ))}
      </dl>
      <p className="text-text-muted">
        Each call carries <Code>Authorization: Token &lt;API_TOKEN&gt;</Code>. Make a token in the folder of the
        service:
      </p>
      <pre className="whitespace-pre-wrap rounded-md border border-border bg-surface px-4 py-3 font-mono text-[13px]">
        npm run -s api-token -- create --environment testing --name NAME
      </pre>
      <p className="text-text-muted">
        Status: <Link href="/healthz">/healthz</Link> (process), <Link href="/readyz">/readyz</Link> (database).
      </p>
    </MessagePage>
  );
}

function Code({ children }: { children: ReactNode }) {
  return <code className="font-mono text-[13px] text-text">{children}</code>;
}

function Link({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} className="rounded-sm text-accent underline underline-offset-2">
      {children}
    </a>
  );
}
