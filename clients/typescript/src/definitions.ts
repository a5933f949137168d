import type { DefinitionIssue, JsonValue } from "./user-group.js";

type ScalarType = "string" | "integer" | "number" | "boolean" | "date";
export type PropertyType = ScalarType | `${ScalarType}[]` | "object" | "any";

/** What a property must be. */
export interface PropertyDefinition {
  type: PropertyType;
  /** whether a group without a value has a problem; a `default` is a value too */
  required?: boolean;
  /** the value of groups that have none, applied on reading; null for none */
  default?: JsonValue;
  /** the only allowed values, at most 100: of a list, its items; null for any */
  enum?: (string | number | boolean)[] | null;
  description?: string | null;
  /** whether `variables` of a minted viewer token may replace its value */
  overridable?: boolean;
  /** whether viewer tokens contain it */
  viewer_visible?: boolean;
}

/** A schema that mappings may name. */
export interface SchemaDefinition {
  name?: string | null;
  /** whether a group whose mapping lacks it has a problem */
  required?: boolean;
}

/** A data source that mappings may name. */
export interface DataSourceDefinition {
  name?: string | null;
  /** your id for it */
  provided_id?: string | null;
  /** the ids of the schemas that it may stand for; empty for any */
  schemas?: string[];
}

interface Rules {
  /** `refuse`: a property that is not defined is a problem */
  unknown_properties?: "allow" | "refuse";
  /** `report`: problems are counted and shown; `enforce`: writes with problems are refused */
  enforcement?: "off" | "report" | "enforce";
  /** with `enforce`: whether a creation with problems is refused too */
  creations?: "report" | "enforce";
}

/** What every group of the environment must have; an omitted member is reset. */
export interface Definitions extends Rules {
  /** by name */
  properties?: Record<string, PropertyDefinition>;
  /** by id; empty: not checked */
  schemas?: Record<string, SchemaDefinition>;
  /** by id; empty: not checked */
  data_sources?: Record<string, DataSourceDefinition>;
}

/** The environment's definitions, with all members written out. */
export interface DefinitionsAnswer {
  success: 1;
  /** changes by one with each change; 0 before the first */
  version: number;
  definitions: Required<Rules> & {
    properties: Record<string, Required<PropertyDefinition>>;
    schemas: Record<string, Required<SchemaDefinition>>;
    data_sources: Record<string, Required<DataSourceDefinition>>;
  };
}

/** The definitions, extended by what the newest groups suggest; nothing is changed. */
export interface SuggestedDefinitions extends Pick<DefinitionsAnswer, "success" | "definitions"> {
  /** how many groups they were read off */
  groups: number;
}

/** What was found in the groups, the most frequent first. */
export interface Findings {
  success: 1;
  /** null before the first time */
  checked_at: string | null;
  /** false until all groups have been checked against the current definitions */
  is_current: boolean;
  groups: number;
  /** of the definitions that the groups were checked against */
  definitions_version: number;
  findings: {
    /** the condition, for `filter` of lists and exports */
    filter: string;
    kind: DefinitionIssue["kind"] | "unused" | "same_name" | "look_alike_id";
    /** null for the group as a whole */
    member: "properties" | "mapping" | null;
    name: string | null;
    message: string;
    /** how many groups had it at `checked_at` */
    count: number;
    /** the name that this one resembles */
    like: string | null;
  }[];
  /** how many groups the definitions found anything in, a figure a day */
  days: { day: string; groups: number }[];
}

/** A fix of every group with a finding: one of `set`, `remove` and `rename_to`. */
export type FixRequest = {
  /** the `filter` of a finding about a property or a schema */
  finding: string;
} & ({ set: JsonValue } | { remove: true } | { rename_to: string });
