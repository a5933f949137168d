import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CodeSample } from "@/components/code-sample";
import { CopyButton } from "@/components/copy-button";
import { EmbedCode } from "@/components/groups/embed-code";
import { EmbedPreview } from "@/components/groups/embed-preview";
import { isViewed } from "@/components/groups/group-use";
import { SeeItUsed } from "@/components/groups/see-it-used";
import { MASKED_TOKEN, type ShownToken } from "@/components/groups/use-shown-token";
import { PageLink } from "@/components/page-link";
import { LANGUAGE_OPTIONS, useSnippet } from "@/components/snippets/use-snippet";
import { Chip } from "@/components/ui/chip";
import { ChoiceCards } from "@/components/ui/choice-cards";
import { Segmented } from "@/components/ui/segmented";
import { Skeleton } from "@/components/ui/skeleton";
import { Step, StepList } from "@/components/ui/steps";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { type Group, groupQuery } from "@/lib/groups/queries";
import { hasMintedQuery } from "@/lib/viewer-tokens/queries";

interface EmbedPanelProps {
  group: Group;
  token: ShownToken;
}

const WAYS = [
  {
    value: "viewer-token",
    label: "Viewer token",
    hint: "From your backend, per page view. Lasts 15 minutes.",
    chip: <Chip>Recommended</Chip>,
  },
  { value: "in-page", label: "Token in page", hint: "Your renderer looks it up. Works until you rotate it." },
];

/** How often to check for the first use, in milliseconds. */
const POLL_MS = 3_000;

/** How to embed a dashboard for the group: with viewer tokens, which expire, or with the group's token in the page. */
export function EmbedPanel({ group, token }: EmbedPanelProps) {
  const slug = useEnvironmentSlug();
  const { data: hasMinted, isPending } = useQuery(hasMintedQuery(slug));
  useQuery({ ...groupQuery(slug, String(group.teamId)), refetchInterval: isViewed(group) ? false : POLL_MS });
  const [chosen, setChosen] = useState<string>();
  if (isPending) return <Skeleton className="h-100 rounded-xl" />;
  // Until a backend mints tokens, only copy and paste works.
  const ways = hasMinted === false ? WAYS.toReversed() : WAYS;
  const way = chosen ?? ways[0]?.value;
  return (
    <div className="grid items-start gap-x-6 gap-y-5 xl:grid-cols-[minmax(0,1fr)_24rem]">
      <div className="flex min-w-0 flex-col gap-3">
        <ChoiceCards
          isRow
          isLabelHidden
          label="How to embed"
          name="way"
          checkedValue={way ?? ""}
          onChange={(event) => setChosen(event.target.value)}
          options={ways}
        />
        <StepList>
          {way === "in-page" ? <TokenSteps group={group} token={token} /> : <ViewerTokenSteps group={group} />}
          <SeeItUsed group={group} />
        </StepList>
      </div>
      <EmbedPreview group={group} isWhole={way === "in-page"} />
    </div>
  );
}

/** How to embed with the group's token in the page. */
function TokenSteps({ group, token }: EmbedPanelProps) {
  const canWrite = useCanWrite();
  return (
    <>
      <Step number={1} title="Copy this">
        {canWrite ? (
          <EmbedCode group={group} token={token.value ?? MASKED_TOKEN} fetchToken={token.fetch} />
        ) : (
          <p className="text-text-secondary">
            It contains the token, which readers cannot see. Ask an owner for another role.
          </p>
        )}
      </Step>
      <Step number={2} title="Paste it where the dashboard is shown">
        <p className="text-text-secondary">
          The names are examples. Your renderer reads the token and looks it up with POST /api/viewer. Or let your
          backend fetch it on each page view: the{" "}
          <a href="/docs" className="text-link">
            API reference
          </a>{" "}
          has the code.
        </p>
      </Step>
    </>
  );
}

/** Code for the page, which gets its token from an endpoint of the backend. */
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
/** Highlighted in the code: the reader replaces it. */
const OWN_ORIGIN = "https://dashboards.example.com";

/** How to embed with viewer tokens: the backend mints one for each page view, the page hands it over and renews it. */
function ViewerTokenSteps({ group: { providedId } }: { group: Group }) {
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
          <PageLink href={`/${slug}/settings/api-tokens`} className="text-link">
            API token
          </PageLink>{" "}
          with the preset Backend, and take the group from your session. This code holds no secret.
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
