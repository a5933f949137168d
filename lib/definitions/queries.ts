import { queryOptions } from "@tanstack/react-query";
import { activityKey, fetchLastEntry } from "@/lib/audit/queries";
import { callApi, fetchText } from "@/lib/browser/api-client";
import type { FindingsAnswer } from "@/lib/definitions/findings-schema";
import type { Definitions } from "@/lib/definitions/schema";
import { elementTexts, memberTexts, parseKeeping } from "@/lib/json/exact-json";
import { rawJson } from "@/lib/json/raw-json";

/** An environment's definitions as they are cached. */
export interface StoredDefinitions {
  version: number;
  /** JSON text, so that its numbers stay exact */
  text: string;
  enforcement: Definitions["enforcement"];
}

/** Root query key of an environment's definitions; every change invalidates it. */
export const definitionsKey = (environment: string) => ["definitions", environment];

/** An environment's definitions. */
export const definitionsQuery = (environment: string) =>
  queryOptions({
    queryKey: [...definitionsKey(environment), "document"],
    queryFn: ({ signal }) => fetchDefinitions(environment, signal),
  });

/** An environment's definitions. */
export async function fetchDefinitions(environment: string, signal?: AbortSignal): Promise<StoredDefinitions> {
  return readAnsweredDefinitions(await fetchText("/api/definitions", { environment, signal }));
}

/** Reads the text of the answer with definitions. */
export function readAnsweredDefinitions(answer: string): StoredDefinitions {
  const { version, definitions } = parseKeeping(answer, ["definitions"]);
  const text = String(definitions);
  return { version: Number(version), text, enforcement: JSON.parse(text).enforcement };
}

/** Reads the service's definitions, which are complete, without zod's schema: a sixth of a page's weight. */
export function parseDefinitions(text: string): Definitions {
  const { properties = "{}" } = Object.fromEntries(memberTexts(text));
  const exact = memberTexts(properties).map(([name, property]) => {
    const { default: value = "null", enum: items = "null" } = Object.fromEntries(memberTexts(property));
    return [
      name,
      {
        ...JSON.parse(property),
        default: value === "null" ? null : rawJson(value),
        enum: items === "null" ? null : elementTexts(items).map(rawJson),
      },
    ];
  });
  return { ...JSON.parse(text), properties: Object.fromEntries(exact) };
}

/**
 * Replaces the definitions, if they still have this version.
 * @throws {ApiError} `stale` if they do not, `invalid_fields`
 */
export async function askToChangeDefinitions(
  environment: string,
  { version, text }: Pick<StoredDefinitions, "version" | "text">,
): Promise<StoredDefinitions> {
  const options = { environment, method: "PUT", body: text, headers: { "If-Match": `"d-${version}"` } } as const;
  return readAnsweredDefinitions(await fetchText("/api/definitions", options));
}

/** The definitions, extended by suggestions from some groups, as JSON text; changes nothing. */
export async function fetchSuggestedDefinitions(environment: string): Promise<{ groups: number; text: string }> {
  const answer = await fetchText("/api/definitions/suggestion", { environment });
  const { groups, definitions } = parseKeeping(answer, ["definitions"]);
  return { groups: Number(groups), text: String(definitions) };
}

/** The last change of the definitions; null if the history does not say. */
export const lastDefinitionsChangeQuery = (environment: string, version: number) =>
  queryOptions({
    queryKey: [...activityKey(environment), "definitions", version],
    queryFn: ({ signal }) => fetchLastEntry(environment, { action: "environment.definitions_changed" }, signal),
  });

/** Polling intervals while groups are being checked, and afterwards, in milliseconds. */
const LOOK_MS = 1_000;
const CURRENT_LOOK_MS = 5_000;

/** How many findings are problems: those about a group as a whole are only worth a look. */
export const countProblems = ({ findings }: FindingsAnswer) => findings.filter(({ member }) => member !== null).length;

/** The findings in an environment's groups, polled while they are shown. */
export const findingsQuery = (environment: string) =>
  queryOptions({
    queryKey: [...definitionsKey(environment), "findings"],
    queryFn: ({ signal }) => callApi<FindingsAnswer>("/api/definitions/findings", { environment, signal }),
    refetchInterval: ({ state: { data } }) => (data?.is_current === false ? LOOK_MS : CURRENT_LOOK_MS),
  });
