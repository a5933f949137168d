import type { z } from "zod";
import { findingId, type findingsAnswer } from "@/lib/definitions/findings-schema";
import type { ExplainedFindings } from "@/lib/definitions/findings-service";
import type { definitionsAnswer, suggestionAnswer } from "@/lib/definitions/schema";
import type { KnownDefinitions } from "@/lib/definitions/service";
import { json } from "@/lib/endpoint/answer";
import type { WholeAnswer } from "@/lib/endpoint/call";
import { RawJson } from "@/lib/json/raw-json";

/** An answer's members other than `success`, of which some are written exactly. */
type Members<Answer extends z.ZodType<object>> = Record<Exclude<keyof z.infer<Answer>, "success">, unknown>;

/** The answer with an environment's definitions. */
export function answerDefinitions({ version, text }: KnownDefinitions): WholeAnswer {
  const body: Members<typeof definitionsAnswer> = { version, definitions: new RawJson(text, "object") };
  return json(body, { ETag: `"d-${version}"` });
}

/** The answer with suggested definitions. */
export function answerSuggestion({ text, groups }: { text: string; groups: number }): WholeAnswer {
  const body: Members<typeof suggestionAnswer> = { groups, definitions: new RawJson(text, "object") };
  return json(body);
}

/** The answer with what was found in the groups. */
export function answerFindings(stored: ExplainedFindings): WholeAnswer {
  const body: Members<typeof findingsAnswer> = {
    checked_at: stored.checked_at?.toISOString() ?? null,
    is_current: stored.is_current,
    groups: stored.groups,
    definitions_version: stored.definitions_version ?? 0,
    findings: stored.findings.map(({ kind, member, name, message, count, resembles }) => ({
      id: findingId({ kind, member, name }),
      kind,
      member: member === "" ? null : member,
      name: member === "" ? null : name,
      message,
      count,
      like: resembles,
    })),
  };
  return json(body);
}
