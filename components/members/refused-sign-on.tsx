import { useSearchParams } from "next/navigation";
import { CopyButton } from "@/components/copy-button";
import { linkCodeOf, refusalOf, SECOND_FACTOR } from "@/components/members/refusals";
import { Notice } from "@/components/ui/notice";
import { useInBrowser } from "@/components/use-in-browser";

/** Says why single sign-on led back to this page. */
export function RefusedSignOn({ provider = "Single sign-on" }: { provider: string | undefined }) {
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
          The owner needs this code: <code className="font-mono">{code}</code>
          <CopyButton what="code" text={code} />
        </p>
      )}
    </Notice>
  );
}
