"use client";

import { type ReactNode, useId } from "react";
import { EmbedCode } from "@/components/groups/embed-code";
import type { Embed } from "@/components/groups/embed-formats";
import { EmbedPreview } from "@/components/groups/embed-preview";
import { EmbedStep, EmbedSteps } from "@/components/groups/embed-step";
import { MASKED_TOKEN, type ShownToken } from "@/components/groups/use-shown-token";
import { ViewerTokenSteps } from "@/components/groups/viewer-token-steps";
import { CallSnippets } from "@/components/snippets/call-snippets";
import { Chip } from "@/components/ui/chip";
import { useEnvironment } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { GroupOriginsPanel } from "@/components/viewer-tokens/group-origins";
import { Promises } from "@/components/viewer-tokens/promises";
import { TokenWays } from "@/components/viewer-tokens/token-ways";
import type { Group } from "@/lib/groups/queries";
import { LANGUAGE_IDS } from "@/lib/snippets/snippet";

interface EmbedPanelProps {
  group: Group;
  token: ShownToken;
  embed: Embed;
}

const LINK = "rounded-sm text-accent underline underline-offset-2";

/** How to embed a dashboard for the group: with viewer tokens, which expire, or with its token in the page. */
export function EmbedPanel({ group, token, embed }: EmbedPanelProps) {
  const [plain, programs] = [useId(), useId()];
  const canWrite = useCanWrite();
  const environment = useEnvironment();
  return (
    <div className="flex flex-col gap-10">
      <Part
        title={
          <>
            With viewer tokens <Chip tone="success">Recommended</Chip>
          </>
        }
        text={
          <>
            Nothing in the page works for longer than minutes. For a page without a backend,{" "}
            <a href={`#${plain}`} className={LINK}>
              put the user group token into it
            </a>
            .
          </>
        }
      >
        <div className="grid gap-6 lg:grid-cols-[minmax(0,1.25fr)_minmax(0,1fr)]">
          <ViewerTokenSteps group={group} />
          <div className="flex min-w-0 flex-col gap-6">
            <EmbedPreview group={group} />
            <GroupOriginsPanel group={group} />
          </div>
        </div>
      </Part>
      <Part title="Both ways compared">
        <TokenWays />
        <Promises />
      </Part>
      <Part id={plain} title="With the token in the page" text="One copy, no backend. It works until you rotate it.">
        <EmbedSteps>
          <EmbedStep number={1}>
            {canWrite ? (
              <EmbedCode title="Copy this" embed={embed} token={token.value ?? MASKED_TOKEN} fetchToken={token.fetch} />
            ) : (
              <>
                <h3 className="font-semibold">Copy the embed configuration</h3>
                <p className="text-text-secondary">
                  It contains the token, which readers cannot see. Ask an owner for another role.
                </p>
              </>
            )}
          </EmbedStep>
          <EmbedStep number={2}>
            <h3 className="font-semibold">Paste it where the dashboard is shown</h3>
            <p className="text-text-secondary">
              Or let your backend fetch it on each page view:{" "}
              <a href={`#${programs}`} className={LINK}>
                code in {LANGUAGE_IDS.length} languages
              </a>
              .
            </p>
          </EmbedStep>
        </EmbedSteps>
      </Part>
      <Part id={programs} title="From your program">
        {/* Without mapping and properties: parsing would change how their numbers are spelled. */}
        <CallSnippets group={{ user_group_id: group.providedId, name: group.name }} environment={environment?.name} />
      </Part>
    </div>
  );
}

interface PartProps {
  id?: string;
  title: ReactNode;
  text?: ReactNode;
  children: ReactNode;
}

function Part({ id: given, title, text, children }: PartProps) {
  const own = useId();
  const id = given ?? own;
  return (
    <section aria-labelledby={id} className="flex max-w-5xl flex-col gap-3">
      <div className="flex flex-col gap-0.5">
        <h2 id={id} className="flex flex-wrap items-center gap-2 font-semibold text-base">
          {title}
        </h2>
        {text && <p className="text-text-secondary">{text}</p>}
      </div>
      {children}
    </section>
  );
}
