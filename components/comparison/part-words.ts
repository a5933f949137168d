import { type Change, type ChangedPart, plain } from "@/components/activity/changes";
import { definitionParts } from "@/components/definitions/definition-changes";
import type { ComparedPart } from "@/lib/comparison/queries";
import type { SettingPart } from "@/lib/comparison/schema";
import { type Difference, differencesOf } from "@/lib/json/differences";

const WORDS: Record<SettingPart, [title: string, hint: string]> = {
  definitions: ["Definitions", "Properties, schemas and data sources, and whether they are enforced."],
  embed_template: ["Embed template", "The code that people copy to embed a dashboard."],
  allowed_origins: ["Allowed origins", "Where dashboards may be embedded."],
  claim_templates: ["Claim templates", "Claims that are added to viewer tokens."],
  viewer_tokens: ["Viewer tokens", "What they contain, their audience, and the preview page."],
};

/** The head of a part's differences. */
const LABELS: Record<string, string> = {
  embed_template: "Code",
  allowed_origins: "Origins",
  claim_templates: "Templates",
  viewer_tokens: "Settings",
};

const isWebhook = ({ name }: ComparedPart) => name.startsWith("webhook:");

/** A part's title, and what it is. */
export function wordsFor(part: ComparedPart): { title: string; hint: string } {
  if (!isWebhook(part)) {
    const [title, hint] = WORDS[part.name as SettingPart];
    return { title, hint };
  }
  const { url, description } = JSON.parse(part.here === "null" ? part.there : part.here);
  return { title: `Webhook to ${url.replace(/^https:\/\//, "")}`, hint: description };
}

/** Where a part is: in both environments, unless it is a webhook. */
export function placeOf({ here, there, ...part }: ComparedPart): "both" | "here" | "there" {
  if (!isWebhook({ here, there, ...part })) return "both";
  return there === "null" ? "here" : here === "null" ? "there" : "both";
}

/** Whether both environments have a part alike, whatever the order of its members. */
export function isAlike({ here, there }: ComparedPart): boolean {
  return differencesOf(there, here).length === 0;
}

/** What copying a part changes there. */
export function changesIn(part: ComparedPart): ChangedPart[] {
  const { name, here, there } = part;
  if (name === "definitions") return definitionParts(there, here);
  const isWhole = name === "embed_template" || name === "allowed_origins";
  const [before, after] = [there, here].map((text) => (text === "null" ? "{}" : text));
  const changes = isWhole
    ? [{ key: undefined, before: shown(name, there), after: shown(name, here) }]
    : differencesOf(before ?? "", after ?? "")
        .map(changeOf)
        .map(withoutNull);
  return [{ label: LABELS[name] ?? "Webhook", changes, isOrderOnly: false }];
}

/** How many things differ. */
export function countChanges(part: ComparedPart): number {
  return changesIn(part).reduce((sum, { changes }) => sum + changes.length, 0);
}

function shown(name: string, text: string): string | undefined {
  const value: string | string[] | null = JSON.parse(text);
  if (Array.isArray(value)) return value.join("\n") || "nowhere";
  return value ?? (name === "allowed_origins" ? "anywhere" : undefined);
}

/** A difference as a change, exact. */
export function changeOf({ path, before, after }: Difference): Change {
  const text = (value: string | undefined) => (value === undefined ? undefined : plain(value));
  return { key: path.length > 0 ? path.join(": ") : undefined, before: text(before), after: text(after) };
}

/** Settings are null where nothing is set. */
function withoutNull({ key, before, after }: Change): Change {
  return { key, before: before === "null" ? undefined : before, after: after === "null" ? undefined : after };
}
