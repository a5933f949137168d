import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { CopyButton } from "@/components/copy-button";
import { authFault } from "@/components/members/auth-fault";
import { nextPage } from "@/components/members/next-page";
import { linkCodeOf, refusalOf, SECOND_FACTOR } from "@/components/members/refusals";
import { SecretField } from "@/components/secret-input";
import { submitted } from "@/components/submitted";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { TextField } from "@/components/ui/text-field";
import { useInBrowser } from "@/components/use-in-browser";
import { askToSignIn, signInOptionsQuery, signInWithOidc } from "@/lib/members/queries";

type Outcome = Awaited<ReturnType<typeof askToSignIn>>;

interface PasswordFormProps {
  onDone: (outcome: Outcome) => void;
  /** prefilled */
  email?: string;
  /** if given, single sign-on opens in another tab, to keep this page; then this is called */
  onElsewhere?: () => void;
}

/** Email and password, or single sign-on. */
export function PasswordForm({ onDone, email, onElsewhere }: PasswordFormProps) {
  const { data: options } = useQuery(signInOptionsQuery);
  const password = useMutation({ gcTime: 0, mutationFn: askToSignIn, onSuccess: onDone });
  const oidc = useMutation({
    mutationFn: async () => {
      if (!onElsewhere) return window.location.assign(await signInWithOidc(nextPage()));
      // Opened within the click: later, a browser would block it as a pop-up.
      const tab = window.open("", "_blank");
      if (!tab) throw new Error("The browser blocked the new tab. Allow pop-ups for this page, then try again.");
      try {
        tab.location.href = await signInWithOidc(`${window.location.origin}/sign-in`);
      } catch (error) {
        tab.close();
        throw error;
      }
      onElsewhere();
    },
  });
  const signIn = (fields: FormData) =>
    password.mutate({ email: String(fields.get("email")), password: String(fields.get("password")) });
  const error = password.error ?? oidc.error;
  // Submitting before hydration would lose the input.
  const isInBrowser = useInBrowser();
  if (options && !options.setUp) {
    return (
      <Notice title="No one can sign in yet">
        <p>The service printed a one-time set-up link when it started: open it to create the first owner.</p>
      </Notice>
    );
  }
  return (
    <>
      {!error && <RefusedSignOn provider={options?.oidc?.name} />}
      <form method="post" onSubmit={submitted(signIn)} className="flex flex-col gap-4">
        <TextField label="Email" name="email" type="email" defaultValue={email} autoComplete="username" required />
        <SecretField
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          data-first={email !== undefined || undefined}
        />
        {error && (
          <Notice tone="danger" role="alert">
            {authFault(error)}
          </Notice>
        )}
        <Button type="submit" variant="primary" disabled={password.isPending || !isInBrowser}>
          Sign in
        </Button>
      </form>
      {options?.oidc && (
        <Button onClick={() => oidc.mutate()} disabled={oidc.isPending}>
          Sign in with {options.oidc.name}
        </Button>
      )}
      <p className="text-text-muted text-xs">Forgot your password? Ask an owner for a reset link.</p>
    </>
  );
}

/** Says why single sign-on led back to this page. */
function RefusedSignOn({ provider = "Single sign-on" }: { provider: string | undefined }) {
  const query = useSearchParams();
  const isInBrowser = useInBrowser();
  const error = query.get("error");
  if (!error || error === SECOND_FACTOR) return null;
  const isUnproven = isInBrowser && ["not_verified", "no_member"].includes(query.get("reason") ?? "");
  const code = isUnproven ? linkCodeOf(document.cookie, window.location.protocol) : undefined;
  return (
    <Notice tone="danger" role="alert" title={`${provider} could not sign you in`}>
      <p>{refusalOf(query, provider)}</p>
      {code && (
        <p className="flex flex-wrap items-center gap-1">
          An owner needs this code: <code className="font-mono">{code}</code>
          <CopyButton what="code" text={code} />
        </p>
      )}
    </Notice>
  );
}
