import { perProcess } from "@/lib/config/per-process";
import { readDefinitions } from "@/lib/definitions/service";
import { type Survey, suggestDefinitions, survey } from "@/lib/definitions/suggest";
import { writeJson } from "@/lib/json/raw-json";
import { readMembers } from "@/lib/store/group-set";

/** Groups to read a suggestion off, and their characters: it must not keep others waiting. */
const SAMPLE = { groups: 5_000, characters: 8_388_608 };
/** Surveys that have not ended: concurrent callers share one, as each takes memory and most of a second. */
const surveying = perProcess("surveys of groups", () => new Map<number, Promise<Survey>>());

/** The definitions, extended by what the newest groups suggest, as JSON text; and the number of those groups. */
export async function suggestionFor(environmentId: number): Promise<{ text: string; groups: number }> {
  const seen =
    surveying.get(environmentId) ??
    readMembers(environmentId, SAMPLE)
      .then(survey)
      .finally(() => surveying.delete(environmentId));
  surveying.set(environmentId, seen);
  const [found, { document }] = [await seen, await readDefinitions(environmentId)];
  return { text: writeJson(suggestDefinitions(found, document)), groups: found.groups };
}
