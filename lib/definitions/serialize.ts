import type { z } from "zod";
import type { CountedFinding, StoredFindings } from "@/lib/definitions/findings";
import {
  type FindingKind,
  filterOf,
  type findingsAnswer,
  MEMBERS,
  UNUSED_DAYS,
} from "@/lib/definitions/findings-schema";
import type { Definitions, definitionsAnswer, suggestionAnswer } from "@/lib/definitions/schema";
import type { KnownDefinitions } from "@/lib/definitions/service";
import { mustBe, notInEnum } from "@/lib/definitions/value-types";
import { json, type WholeAnswer } from "@/lib/endpoint/call";
import { RawJson } from "@/lib/json/raw-json";

/** An answer's members other than `success`; some keep their exact JSON text. */
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

const MESSAGES: Record<FindingKind, string> = {
  missing: "is required",
  wrong_type: "has the wrong type",
  not_in_enum: "is not one of the allowed values",
  unknown_property: "is not a defined property",
  missing_schema: "is required",
  unknown_schema: "is not a defined schema",
  unknown_data_source: "is not mapped to a defined data source",
  data_source_of_other_schema: "is mapped to a data source of another schema",
  unused: `not used for ${UNUSED_DAYS} days`,
  same_name: "same name as another group",
  look_alike_id: "id that looks like another group's",
};
/** The messages of findings about all names together. */
const ANY: Partial<Record<FindingKind, string>> = {
  unknown_property: "properties that are not defined",
  unknown_schema: "schemas that are not defined",
  unknown_data_source: "schemas that are not mapped to a defined data source",
};

/** The message that explains a finding. */
function messageOf({ kind, name, like }: CountedFinding, { properties }: Definitions): string {
  if (name === null) return ANY[kind] ?? MESSAGES[kind];
  const defined = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (kind === "wrong_type" && defined) return mustBe(defined.type);
  if (kind === "not_in_enum" && defined?.enum) return notInEnum(defined);
  return kind === "unknown_property" && like !== null ? `may be ${like}, misspelled` : MESSAGES[kind];
}

/** The answer with the findings in the groups. */
export function answerFindings(stored: StoredFindings, { document }: KnownDefinitions): WholeAnswer {
  const body: Members<typeof findingsAnswer> = {
    checked_at: stored.checked_at?.toISOString() ?? null,
    is_current: stored.is_current,
    groups: stored.groups,
    definitions_version: stored.definitions_version,
    findings: stored.findings.map((finding) => ({
      filter: filterOf(finding),
      kind: finding.kind,
      member: MEMBERS[finding.kind],
      name: finding.name,
      message: messageOf(finding, document),
      count: finding.count,
      like: finding.like,
    })),
    days: stored.days,
  };
  return json(body);
}
