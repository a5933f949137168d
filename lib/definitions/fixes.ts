import type { FindingKind } from "@/lib/definitions/findings-schema";

/** The ways to fix the member that a finding is about. */
export const FIX_VERBS = ["set", "remove", "rename_to"] as const;
export type FixVerb = (typeof FIX_VERBS)[number];

/** How each kind of finding can be fixed in many groups, the best way first; kinds that are not listed cannot. */
export const FIXES: Partial<Record<FindingKind, readonly FixVerb[]>> = {
  missing: ["set"],
  wrong_type: ["set", "remove"],
  not_in_enum: ["set", "remove"],
  unknown_property: ["rename_to", "remove"],
  missing_schema: ["set"],
  unknown_schema: ["rename_to", "remove"],
  unknown_data_source: ["set", "remove"],
  data_source_of_other_schema: ["set", "remove"],
};
