import type { z } from "zod";
import type { Preview } from "@/lib/definitions/preview";
import type { definitionsAnswer, previewAnswer, suggestionAnswer } from "@/lib/definitions/schema";
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

/** The answer with a preview. */
export function answerPreview({ sql, parameters }: Preview): WholeAnswer {
  const body: Members<typeof previewAnswer> = { sql, parameters };
  return json(body);
}

/** The answer with suggested definitions. */
export function answerSuggestion({ text, groups }: { text: string; groups: number }): WholeAnswer {
  const body: Members<typeof suggestionAnswer> = { groups, definitions: new RawJson(text, "object") };
  return json(body);
}
