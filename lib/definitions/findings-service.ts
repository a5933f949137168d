import { type HealthKind, UNUSED_DAYS } from "@/lib/definitions/findings-schema";
import { type CountedFinding, readFindings, type StoredFindings } from "@/lib/definitions/findings-stored";
import type { Definitions } from "@/lib/definitions/schema";
import { readDefinitions } from "@/lib/definitions/service";
import { mustBe, notInEnum } from "@/lib/definitions/value-types";

/** Findings with what they mean. */
export interface ExplainedFindings extends StoredFindings {
  findings: (CountedFinding & { message: string })[];
}

/** An environment's findings, with what they mean. */
export async function findingsOf(environmentId: number): Promise<ExplainedFindings> {
  const [stored, { document }] = await Promise.all([readFindings(environmentId), readDefinitions(environmentId)]);
  const findings = stored.findings.map((finding) => ({ ...finding, message: messageOf(finding, document) }));
  return { ...stored, findings };
}

const MESSAGES: Record<HealthKind, string> = {
  missing: "is required",
  wrong_type: "has another type",
  not_in_enum: "is not one of the allowed values",
  unknown_property: "is not a defined property",
  missing_schema: "is required",
  unknown_schema: "is not a defined schema",
  unknown_data_source: "is not mapped to a defined data source",
  data_source_of_other_schema: "is mapped to a data source of another schema",
  near_duplicate: "may be misspelled",
  unused: `not used for ${UNUSED_DAYS} days`,
  same_name: "same name as another group",
};
/** Of the names beyond the most frequent. */
const OTHERS: Partial<Record<HealthKind, string>> = {
  unknown_property: "other properties that are not defined",
  unknown_schema: "other schemas that are not defined",
  unknown_data_source: "other schemas that are not mapped to a defined data source",
  near_duplicate: "other names that may be misspelled",
};

/** What a finding means. */
function messageOf({ kind, member, name, resembles }: CountedFinding, { properties }: Definitions): string {
  const defined = member === "properties" && Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (kind === "wrong_type" && defined) return mustBe(defined.type);
  if (kind === "not_in_enum" && defined?.enum) return notInEnum(defined);
  if (kind === "near_duplicate" && resembles !== null) return `may be ${resembles}, misspelled`;
  return (member === "" && OTHERS[kind]) || MESSAGES[kind];
}
