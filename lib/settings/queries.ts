import { queryOptions } from "@tanstack/react-query";
import { fetchText, fetchTextWithTag } from "@/lib/browser/api-client";
import type { Difference } from "@/lib/json/differences";
import { elementTexts, memberTexts, parseKeeping } from "@/lib/json/exact-json";
import type { AppliedSettingsAnswer, SettingsPart } from "@/lib/settings/schema";

const PATH = "/api/settings";

/** An environment's settings as JSON text. */
export async function fetchSettings(environment: string, signal?: AbortSignal): Promise<string> {
  const text = await fetchText(PATH, { environment, signal });
  return String(parseKeeping(text, ["settings"]).settings);
}

/** Root query key of settings. */
export const settingsKey = ["settings"];

/** The source's settings as JSON text, with the webhooks that only the target has, so that copying deletes none. */
export const copiedSettingsQuery = (source: string, target: string) =>
  queryOptions({
    queryKey: [...settingsKey, "copied", source, target],
    queryFn: async ({ signal }) => {
      const [document, own] = await Promise.all([fetchSettings(source, signal), fetchSettings(target, signal)]);
      return withOwnWebhooks(own, document);
    },
    staleTime: 0,
    gcTime: 0,
  });

/** The changes that a document would make to an environment's current settings. */
export interface SettingsDifferences {
  changes: Difference[];
  /** tag of the environment's current settings */
  tag: string;
}

/** The changes that a document would make to an environment. */
export const settingsDifferencesQuery = (environment: string, document: string) =>
  queryOptions({
    queryKey: [...settingsKey, environment, document],
    queryFn: ({ signal }) => fetchDifferences(environment, document, signal),
    staleTime: 0,
    gcTime: 0,
  });

/**
 * The changes that a document would make to an environment.
 * @throws {ApiError} `invalid_json`, `invalid_fields`
 */
export async function fetchDifferences(
  environment: string,
  document: string,
  signal?: AbortSignal,
): Promise<SettingsDifferences> {
  const { text, tag } = await fetchTextWithTag(PATH, {
    environment,
    method: "PUT",
    query: { dry_run: "true" },
    body: document,
    isRepeatable: true,
    signal,
  });
  const changes = elementTexts(String(parseKeeping(text, ["changes"]).changes));
  return { changes: changes.map((change) => parseKeeping(change, ["before", "after"]) as unknown as Difference), tag };
}

/** A document reduced to these parts. */
export function chosenParts(document: string, parts: ReadonlySet<SettingsPart>): string {
  return writeDocument(memberTexts(document).filter(([name]) => parts.has(name as SettingsPart)));
}

function writeDocument(parts: [name: string, text: string][]): string {
  return `{${parts.map(([name, text]) => `"${name}":${text}`).join()}}`;
}

/** A document, extended by an environment's own webhooks at other addresses. */
function withOwnWebhooks(own: string, document: string): string {
  const parts = new Map(memberTexts(document));
  const webhooksIn = (list = "[]") => elementTexts(list).map((text) => ({ text, url: String(JSON.parse(text).url) }));
  const wanted = webhooksIn(parts.get("webhooks"));
  const places = wanted.map(({ url }) => url);
  const kept = webhooksIn(new Map(memberTexts(own)).get("webhooks")).filter(({ url }) => {
    const at = places.indexOf(url);
    if (at !== -1) places.splice(at, 1);
    return at === -1;
  });
  parts.set("webhooks", `[${[...wanted, ...kept].map(({ text }) => text).join()}]`);
  return writeDocument([...parts]);
}

/**
 * Applies a document, if the environment's settings still have this tag; returns new webhooks with their secrets.
 * @throws {ApiError} `stale`
 */
export async function askToApplySettings(
  environment: string,
  { document, tag }: { document: string; tag: string },
): Promise<AppliedSettingsAnswer["webhooks"]> {
  const headers = { "If-Match": tag };
  const text = await fetchText(PATH, { environment, method: "PUT", body: document, headers });
  return (JSON.parse(text) as AppliedSettingsAnswer).webhooks;
}
