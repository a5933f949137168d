import { json, type WholeAnswer } from "@/lib/endpoint/call";
import { rawJson } from "@/lib/json/raw-json";
import { SETTINGS_PARTS } from "@/lib/settings/schema";
import type { AppliedSettings, SettingsTexts } from "@/lib/settings/service";

/** A document of settings, exact. */
export function serializeSettings(texts: SettingsTexts) {
  return Object.fromEntries(SETTINGS_PARTS.map((part) => [part, rawJson(texts[part])]));
}

/** The answer with an environment's settings. */
export function answerSettingsDocument({ texts, tag }: { texts: SettingsTexts; tag: string }): WholeAnswer {
  return json({ settings: serializeSettings(texts) }, { ETag: `"${tag}"` });
}

/** The answer to a change. */
export function answerAppliedSettings({ changes, webhooks, tag }: AppliedSettings): WholeAnswer {
  const raw = (text: string | undefined) => (text === undefined ? undefined : rawJson(text));
  return json(
    {
      changes: changes.map(({ path, before, after }) => ({ path, before: raw(before), after: raw(after) })),
      webhooks: webhooks.map(({ id, url, secret }) => ({ id, url, secret })),
    },
    { ETag: `"${tag}"` },
  );
}
