import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { EmbedCode } from "@/components/groups/embed-code";
import type { Embed } from "@/components/groups/embed-formats";
import { EmbedPreview } from "@/components/groups/embed-preview";
import { SeeItUsed } from "@/components/groups/see-it-used";
import { MASKED_TOKEN, type ShownToken } from "@/components/groups/use-shown-token";
import { ViewerTokenSteps } from "@/components/groups/viewer-token-steps";
import { Chip } from "@/components/ui/chip";
import { ChoiceCards } from "@/components/ui/choice-cards";
import { Skeleton } from "@/components/ui/skeleton";
import { Step, StepList } from "@/components/ui/steps";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import type { Group } from "@/lib/groups/queries";
import { hasMintedQuery } from "@/lib/viewer-tokens/queries";

interface EmbedPanelProps {
  group: Group;
  token: ShownToken;
  embed: Embed;
}

const WAYS = [
  {
    value: "viewer-token",
    label: "Viewer token",
    hint: "From your backend, per page view. Lasts 15 minutes.",
    chip: <Chip>Recommended</Chip>,
  },
  { value: "in-page", label: "Token in page", hint: "No backend needed. Works until you rotate it." },
];

/** How to embed a dashboard for the group: with viewer tokens, which expire, or with its token in the page. */
export function EmbedPanel({ group, token, embed }: EmbedPanelProps) {
  const { data: hasMinted, isPending } = useQuery(hasMintedQuery(useEnvironmentSlug()));
  const [chosen, setChosen] = useState<string>();
  if (isPending) return <Skeleton className="h-100 rounded-xl" />;
  // Without a backend that mints, copy and paste is the way that works now.
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
          {way === "in-page" ? <TokenSteps token={token} embed={embed} /> : <ViewerTokenSteps group={group} />}
          <SeeItUsed group={group} />
        </StepList>
      </div>
      <EmbedPreview group={group} isWhole={way === "in-page"} />
    </div>
  );
}

/** How to embed with the group's token in the page. */
function TokenSteps({ token, embed }: Omit<EmbedPanelProps, "group">) {
  const canWrite = useCanWrite();
  return (
    <>
      <Step number={1} title="Copy this">
        {canWrite ? (
          <EmbedCode embed={embed} token={token.value ?? MASKED_TOKEN} fetchToken={token.fetch} />
        ) : (
          <p className="text-text-secondary">
            It contains the token, which readers cannot see. Ask an owner for another role.
          </p>
        )}
      </Step>
      <Step number={2} title="Paste it where the dashboard is shown">
        <p className="text-text-secondary">
          Or let your backend fetch it on each page view: the{" "}
          <a href="/docs" className="rounded-sm text-accent underline underline-offset-2">
            API reference
          </a>{" "}
          has the code.
        </p>
      </Step>
    </>
  );
}
