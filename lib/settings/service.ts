import { authorOf, type Caller, type EnvironmentAuthor, requireScopes } from "@/lib/auth/caller";
import { authoriseScope } from "@/lib/authority/authority";
import type { Scope, ScopeCondition } from "@/lib/authority/scopes";
import { read } from "@/lib/db/pool";
import { prisma, runIn } from "@/lib/db/prisma";
import { lockDefinitions, readDefinitions, setDefinitions } from "@/lib/definitions/service";
import { updateWithin } from "@/lib/environments/service";
import { AppError, staleChange } from "@/lib/errors";
import { findEndPlace } from "@/lib/events/feed";
import type { Place } from "@/lib/events/place";
import { type Difference, differencesOf } from "@/lib/json/differences";
import { writeJson } from "@/lib/json/raw-json";
import type { WantedSettings } from "@/lib/settings/input";
import type { AppliedSettingsAnswer, SettingsDocument, SettingsPart, WantedWebhook } from "@/lib/settings/schema";
import { SETTINGS_PARTS } from "@/lib/settings/schema";
import type { StoredSettings, StoredWebhook } from "@/lib/settings/stored";
import { lockStoredSettings, readStoredSettings } from "@/lib/settings/stored";
import { forgetMaterial } from "@/lib/viewer-tokens/material";
import { type NewSecret, secretsIn } from "@/lib/viewer-tokens/secrets";
import { setViewerSettings } from "@/lib/viewer-tokens/settings";
import { withoutSecrets } from "@/lib/viewer-tokens/settings-schema";
import {
  alterWebhook,
  insertWebhook,
  lockWebhook,
  removeWebhook,
  requireReceiver,
  webhookSnapshot,
} from "@/lib/webhooks/writes";

const OF_WEBHOOKS: readonly Scope[] = ["webhooks:write", "events:read"];
// Minting too: these parts decide what viewer tokens contain, and where View as sends one.
const OF_OTHERS: readonly Scope[] = ["definitions:write", "viewers:mint"];

/** The scopes that the parts of a document need, the same as those of the parts' own calls. */
export const SETTINGS_CONDITIONS: ScopeCondition[] = [
  ...OF_OTHERS.map((scope) => ({ scope, when: "for any part but webhooks" })),
  ...[...OF_OTHERS, "templates:write" as const].map((scope) => ({ scope, when: "to change templates" })),
  ...OF_WEBHOOKS.map((scope) => ({ scope, when: "for webhooks" })),
];

/** A document's parts, each as JSON text. */
export type SettingsTexts = Record<SettingsPart, string>;

/** The settings of an environment, and the tag of this state. */
export async function readSettings(environmentId: number): Promise<{ texts: SettingsTexts; tag: string }> {
  const stored = await readStoredSettings(read, environmentId);
  const webhooks = stored.webhooks.map((one) => ({ ...webhookSnapshot(one), enabled: one.enabled }));
  return { texts: { ...textsOf(stored), webhooks: JSON.stringify(webhooks) }, tag: stored.tag };
}

/** The changes that applying a document makes, or would make. */
export interface AppliedSettings {
  changes: Difference[];
  /** new webhooks, with their secrets */
  webhooks: AppliedSettingsAnswer["webhooks"];
  /** tag of the resulting settings */
  tag: string;
}

/**
 * Applies a caller's document, with the scopes that its parts need.
 * @throws {AppError} as {@link applySettings}, and `forbidden`
 */
export function setSettings(
  caller: Caller,
  wanted: WantedSettings,
  tags: string[] | undefined,
): Promise<AppliedSettings> {
  requireScopes(caller, scopesFor(wanted.document));
  return applySettings(caller, wanted, tags, (scope) => requireScopes(caller, [scope]));
}

/**
 * Applies a document to the settings of an environment: all of it, or nothing.
 * @throws {AppError} `stale` when the settings have none of the entity tags, `conflict` when they change meanwhile, or
 * `invalid_fields` for a webhook with a forbidden address
 */
export async function applySettings(
  caller: EnvironmentAuthor,
  { document, isDryRun }: WantedSettings,
  tags?: string[],
  demand: (scope: Scope) => void = () => undefined,
): Promise<AppliedSettings> {
  const { environment } = caller;
  const stored = await readStoredSettings(read, environment.id);
  if (tags && !tags.includes(stored.tag)) throw staleSettings(tags);
  const plan = planFor(stored, document);
  if (plan.parts.has("templates")) demand("templates:write");
  for (const { was, is } of plan.webhooks) {
    if (is && !was) await requireReceiver(is.url, ["webhooks", document.webhooks?.indexOf(is) ?? -1, "url"]);
  }
  const { changes, parts } = plan;
  if (isDryRun || changes.length === 0) return { changes, webhooks: [], tag: stored.tag };
  // Not in a dry run: another environment's export can be compared without its secrets.
  const secrets = secretsIn(stored.viewers.templates, document.templates ?? {});
  const place = await findEndPlace(environment.id);
  const done = await prisma().$transaction(async (tx) => {
    const run = runIn(tx);
    if (parts.has("definitions")) await lockDefinitions(run, environment.id);
    const { tag } = await lockStoredSettings(run, environment.id);
    if (tag !== stored.tag && tags) throw staleSettings(tags);
    if (tag !== stored.tag) {
      throw new AppError("conflict", "The settings changed at the same time. Nothing was changed: try again.");
    }
    const webhooks = await writeParts({ tx, caller, document, stored, plan, secrets, place });
    return { changes, webhooks, tag: (await readStoredSettings(run, environment.id)).tag };
  });
  if (parts.has("definitions")) await readDefinitions(environment.id);
  forgetMaterial(environment.id);
  return done;
}

interface Plan {
  changes: Difference[];
  /** the parts with changes */
  parts: ReadonlySet<SettingsPart>;
  webhooks: WebhookPair[];
}

function planFor(stored: StoredSettings, document: SettingsDocument): Plan {
  const webhooks = document.webhooks ? pairWebhooks(stored.webhooks, document.webhooks) : [];
  const [before, after] = webhookTexts(webhooks);
  const was: SettingsTexts = { ...textsOf(stored), webhooks: before };
  const differences = SETTINGS_PARTS.map((part) => {
    if (document[part] === undefined) return [];
    return differencesOf(was[part], wantedText(part, document, after), [part]);
  });
  const parts = new Set(SETTINGS_PARTS.filter((_, index) => differences[index]?.length !== 0));
  return { changes: differences.flat(), parts, webhooks };
}

/** A part's wanted text. A given secret counts as a difference, but its value is masked. */
function wantedText(part: SettingsPart, document: SettingsDocument, webhooks: string): string {
  if (part === "webhooks") return webhooks;
  if (part !== "templates") return writeJson(document[part]);
  return JSON.stringify(withoutSecrets(document.templates ?? {}, "…"));
}

function textsOf({ definitions, viewers, allowed_origins, embed_template }: StoredSettings) {
  const { templates, ...viewerTokens } = viewers;
  return {
    definitions,
    viewer_tokens: JSON.stringify(viewerTokens),
    templates: JSON.stringify(templates),
    allowed_origins: JSON.stringify(allowed_origins),
    embed_template: JSON.stringify(embed_template),
  };
}

interface Work {
  tx: Parameters<typeof insertWebhook>[0];
  caller: EnvironmentAuthor;
  document: SettingsDocument;
  stored: StoredSettings;
  plan: Plan;
  secrets: NewSecret[];
  place: Place;
}

/** Writes the parts that differ, and returns new webhooks. */
async function writeParts({ tx, caller, document, stored, plan: { parts, webhooks }, secrets, place }: Work) {
  const { environment } = caller;
  const author = authorOf(caller);
  const run = runIn(tx);
  const [first = "groups:read", ...rest] = scopesFor(document);
  const by = await authoriseScope(tx, author, environment.id, first);
  if (parts.has("templates")) rest.push("templates:write");
  for (const scope of rest) await authoriseScope(tx, author, environment.id, scope);
  if (document.definitions && parts.has("definitions")) {
    await setDefinitions(run, { caller, input: document.definitions, tags: undefined });
  }
  if (["viewer_tokens", "templates", "allowed_origins"].some((part) => parts.has(part as SettingsPart))) {
    const { viewer_tokens = {}, templates = stored.viewers.templates } = document;
    const { allowed_origins = stored.allowed_origins } = document;
    const input = { ...stored.viewers, ...viewer_tokens, templates, allowed_origins };
    await setViewerSettings(run, caller, input, secrets);
  }
  if (parts.has("embed_template")) {
    await updateWithin(tx, { slug: environment.slug, embedTemplate: document.embed_template }, by);
  }
  const created: AppliedSettings["webhooks"] = [];
  // Deleted first: their number is limited.
  for (const { was, is } of webhooks.toSorted((one, other) => Number(!!one.is) - Number(!!other.is))) {
    if (was && is && JSON.stringify(settingOf(was)) === JSON.stringify(settingOf(is))) continue;
    const row = was && (await lockWebhook(tx, { environmentId: environment.id, id: was.id }));
    if (!is) row && (await removeWebhook(tx, by, row));
    else if (row) await alterWebhook(tx, by, row, { ...is, url: row.url });
    else {
      const made = await insertWebhook(tx, by, { environmentId: environment.id, webhook: is, place });
      created.push({ ...made, url: is.url });
    }
  }
  return created;
}

function scopesFor(document: SettingsDocument): Scope[] {
  const isGiven = (part: SettingsPart) => document[part] !== undefined;
  const hasOthers = SETTINGS_PARTS.some((part) => part !== "webhooks" && isGiven(part));
  return [...(hasOthers ? OF_OTHERS : []), ...(isGiven("webhooks") ? OF_WEBHOOKS : [])];
}

function staleSettings(tags: string[]): AppError {
  const changed =
    "The settings have changed since you read them. Read them again, and send the change with the new ETag.";
  return staleChange(tags, { example: '"s-9f86d081884c7d659a2feaa0c55ad015"', changed });
}

/** A webhook before and after: without `was` it is created, without `is` deleted. */
interface WebhookPair {
  was: StoredWebhook | undefined;
  is: WantedWebhook | undefined;
}

/** Pairs each wanted webhook with a stored one: by URL if it has a query, otherwise by its address. */
function pairWebhooks(stored: StoredWebhook[], wanted: WantedWebhook[]): WebhookPair[] {
  const left = [...stored];
  const take = (fits: (one: StoredWebhook) => boolean) => {
    const at = left.findIndex(fits);
    return at === -1 ? undefined : left.splice(at, 1)[0];
  };
  const hasQuery = ({ url }: WantedWebhook) => url.includes("?");
  const exact = new Map(wanted.filter(hasQuery).map((is) => [is, take(({ url }) => url === is.url)]));
  const pairs = wanted.map((is): WebhookPair => {
    const was = hasQuery(is) ? exact.get(is) : take((one) => webhookSnapshot(one).url === is.url);
    return { was, is };
  });
  return [...pairs, ...left.map((was) => ({ was, is: undefined }))];
}

/** Both sides as JSON objects of webhooks by address, to find their differences. */
function webhookTexts(pairs: WebhookPair[]): [before: string, after: string] {
  const [before, after] = [new Map<string, object>(), new Map<string, object>()];
  for (const { was, is } of pairs) {
    const name = freeName(webhookSnapshot((was ?? is) as StoredWebhook).url, [before, after]);
    if (was) before.set(name, settingOf(was));
    if (is) after.set(name, settingOf(is));
  }
  return [JSON.stringify(Object.fromEntries(before)), JSON.stringify(Object.fromEntries(after))];
}

function settingOf({ description, types, enabled }: StoredWebhook | WantedWebhook) {
  return { description, types: types?.toSorted() ?? null, enabled };
}

function freeName(address: string, taken: Map<string, object>[]): string {
  let name = address;
  for (let count = 2; taken.some((names) => names.has(name)); count++) name = `${address} (${count})`;
  return name;
}
