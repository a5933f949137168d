"use client";

import { useQuery } from "@tanstack/react-query";
import { CopyButton } from "@/components/copy-button";
import { CodeSample } from "@/components/groups/code-sample";
import { EmbedStep, EmbedSteps } from "@/components/groups/embed-step";
import { SeeItUsed } from "@/components/groups/see-it-used";
import { readTable } from "@/components/json-editor/rows";
import { PageLink } from "@/components/page-link";
import { CallSnippets } from "@/components/snippets/call-snippets";
import { useEnvironment, useEnvironmentSlug } from "@/components/use-environment";
import type { Group } from "@/lib/groups/queries";
import { viewerSettingsQuery } from "@/lib/viewer-tokens/queries";

/** What the page runs; its token comes from the backend's own endpoint. */
const PAGE_CODE = `import { mountEmbed } from "@user-groups/client";

const { ended } = mountEmbed(document.body, {
  src: "https://dashboards.example.com/dashboard",
  async fetchToken(signal) {
    // Your backend, which does step 1 for the person who is signed in.
    const response = await fetch("/viewer-token", { method: "POST", signal });
    if (!response.ok) throw response;
    return response.json();
  },
});
`;
/** Marked in it: what is the reader's own. */
const OWN_ORIGIN = "https://dashboards.example.com";

/** How to embed with viewer tokens: ask on each page view, hand over and renew, see it used. */
export function ViewerTokenSteps({ group }: { group: Group }) {
  const environment = useEnvironment();
  return (
    <EmbedSteps>
      <EmbedStep number={1}>
        <h3 className="font-semibold">Ask from your backend, on each page view</h3>
        <p className="pb-1.5 text-text-secondary">
          Its API token needs the preset Backend. <Holds group={group} />
        </p>
        <CallSnippets
          group={{ user_group_id: group.providedId, viewer: "user_42" }}
          calls={["mint"]}
          environment={environment?.name}
        />
      </EmbedStep>
      <EmbedStep number={2}>
        <h3 className="font-semibold">Show the dashboard, and keep its token fresh</h3>
        <p className="pb-1.5 text-text-secondary">
          The TypeScript client gives the frame its token, and the next one at 80 % of its life.
        </p>
        <CodeSample text={PAGE_CODE} secret={OWN_ORIGIN} />
        <div className="flex pt-1.5">
          <CopyButton what="page code" text={PAGE_CODE}>
            Copy
          </CopyButton>
        </div>
      </EmbedStep>
      <SeeItUsed group={group} />
    </EmbedSteps>
  );
}

/** What of the group its viewer tokens contain. */
function Holds({ group: { properties, mapping } }: { group: Group }) {
  const slug = useEnvironmentSlug();
  const { data } = useQuery(viewerSettingsQuery(slug));
  if (!data) return null;
  const { visible } = data;
  const listed = (text: string | null, names: string[]) =>
    (readTable(text ?? "")?.rows ?? []).map(({ key }) => key).filter((key) => names.includes(key));
  const parts = [
    ...listed(properties, visible.properties),
    ...listed(mapping, visible.mapping).map((schema) => `schema ${schema}`),
  ];
  return (
    <>
      Anyone with the page can read a viewer token. This group’s{" "}
      {parts.length === 0 ? "holds none of its properties and no mapping" : `holds ${parts.join(", ")}`}:{" "}
      <PageLink href={`/${slug}/settings/embedding`} className="rounded-sm text-accent underline underline-offset-2">
        what viewers can read
      </PageLink>
      .
    </>
  );
}
