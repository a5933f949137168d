import { SETTING_PARTS, type SettingPart } from "@/lib/comparison/schema";
import { tagOf } from "@/lib/comparison/tag";
import { NONE } from "@/lib/definitions/service";
import { settingsIn } from "@/lib/viewer-tokens/stored-settings";
import { webhookSnapshot } from "@/lib/webhooks/rows";
import type { WebhookRow } from "@/lib/webhooks/stored";

/** The stored settings of an environment. */
export interface SettingsRow {
  id: number;
  slug: string;
  embed_template: string | null;
  viewer_settings: string | null;
  allowed_origins: string[] | null;
  /** JSON text */
  definitions: string | null;
}

export type ComparedWebhook = Pick<WebhookRow, "id" | "environment_id" | "url" | "description" | "types">;

/** A part of two environments' settings, as JSON texts. */
export interface Part {
  name: string;
  /** null for a webhook that is not here */
  here: string;
  there: string;
  /** changes when either side does; null for what is not here, and cannot be copied */
  tag: string | null;
  webhooks?: WebhookPair;
}

interface WebhookPair {
  here: ComparedWebhook | undefined;
  there: ComparedWebhook | undefined;
}

interface Settings {
  settings: SettingsRow;
  /** undefined for members who may not see them */
  webhooks: ComparedWebhook[] | undefined;
}

/** The parts of two environments' settings. */
export function comparedParts(here: Settings, there: Settings): Part[] {
  const [from, to] = [textsOf(here.settings), textsOf(there.settings)];
  return [
    ...SETTING_PARTS.map((name) => partOf(name, from[name], to[name])),
    ...pairsOf(here.webhooks ?? [], there.webhooks ?? []).map((pair) => ({
      ...partOf(
        `webhook:${(pair.here ?? pair.there)?.id}`,
        webhookText(pair.here),
        webhookText(pair.there),
        pair.there?.id,
      ),
      ...(!pair.here && { tag: null }),
      webhooks: pair,
    })),
  ];
}

function partOf(name: string, here: string, there: string, id?: number): Part {
  return { name, here, there, tag: tagOf({ name, here, there }, id) };
}

function textsOf(row: SettingsRow): Record<SettingPart, string> {
  const { templates, ...viewerTokens } = settingsIn(row.viewer_settings);
  return {
    definitions: row.definitions ?? NONE,
    embed_template: JSON.stringify(row.embed_template),
    allowed_origins: JSON.stringify(row.allowed_origins),
    claim_templates: JSON.stringify(templates),
    viewer_tokens: JSON.stringify(viewerTokens),
  };
}

/** Webhooks of the same address belong together. What a query string says may be secret, so that the address is without. */
function pairsOf(here: ComparedWebhook[], there: ComparedWebhook[]): WebhookPair[] {
  const left = [...there];
  const pairs = here.map((one): WebhookPair => {
    const at = left.findIndex((other) => webhookSnapshot(other).url === webhookSnapshot(one).url);
    return { here: one, there: at === -1 ? undefined : left.splice(at, 1)[0] };
  });
  return [...pairs, ...left.map((one) => ({ here: undefined, there: one }))];
}

function webhookText(webhook: ComparedWebhook | undefined): string {
  if (!webhook) return "null";
  const { types, ...rest } = webhookSnapshot(webhook);
  return JSON.stringify({ ...rest, types: types?.toSorted() ?? null });
}
