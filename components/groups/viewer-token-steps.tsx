import { CodeSample } from "@/components/code-sample";
import { CopyButton } from "@/components/copy-button";
import { PageLink } from "@/components/page-link";
import { LANGUAGE_OPTIONS, useSnippet } from "@/components/snippets/use-snippet";
import { Segmented } from "@/components/ui/segmented";
import { Step } from "@/components/ui/steps";
import { useEnvironmentSlug } from "@/components/use-environment";
import type { Group } from "@/lib/groups/queries";

/** What the page runs; its token comes from the backend's own endpoint. */
const PAGE_CODE = `import { mountEmbed } from "@user-groups/client";
mountEmbed(document.body, {
  src: "https://dashboards.example.com/dashboard",
  async fetchToken(signal) {
    const response = await fetch("/viewer-token", { method: "POST", signal });
    if (response.ok) return response.json();
    throw response;
  },
});
`;
/** Marked in it: what is the reader's own. */
const OWN_ORIGIN = "https://dashboards.example.com";

/** How to embed with viewer tokens: the backend mints one for each page view, the page hands it over and renews it. */
export function ViewerTokenSteps({ group: { providedId } }: { group: Group }) {
  const slug = useEnvironmentSlug();
  const { language, setLanguage, text } = useSnippet("mint", { user_group_id: providedId, viewer: "user_42" });
  return (
    <>
      <Step
        number={1}
        title="Copy this into your backend"
        actions={
          <>
            <Segmented label="Language" value={language} onChange={setLanguage} options={LANGUAGE_OPTIONS} />
            <CopyButton what="backend code" text={text} variant="primary">
              Copy
            </CopyButton>
          </>
        }
      >
        <CodeSample key={language} text={text} secret={JSON.stringify(providedId)} isFolding />
        <p className="text-text-muted text-xs">
          Use an{" "}
          <PageLink
            href={`/${slug}/settings/api-tokens`}
            className="rounded-sm text-accent underline underline-offset-2"
          >
            API token
          </PageLink>{" "}
          with the preset Backend, and the group of your own session. This code holds no secret.
        </p>
      </Step>
      <Step
        number={2}
        title="Paste this where the dashboard is shown"
        actions={
          <CopyButton what="page code" text={PAGE_CODE}>
            Copy
          </CopyButton>
        }
      >
        <CodeSample text={PAGE_CODE} secret={OWN_ORIGIN} isFolding />
      </Step>
    </>
  );
}
