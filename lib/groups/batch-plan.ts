import { requireDefined } from "@/lib/definitions/judge";
import type { KnownDefinitions } from "@/lib/definitions/service";
import { AppError, type FieldIssue } from "@/lib/errors";
import type { BatchMode } from "@/lib/groups/batch-schema";
import { mergedField, refuseHiddenEnd, renamed, unknownGroup } from "@/lib/groups/group";
import type { GroupMerge } from "@/lib/groups/schema";
import type { GroupInsert } from "@/lib/store/changes";
import type { NewId } from "@/lib/store/renames";

/** The fields of a group that a batch can change. */
export type Fields = Pick<GroupInsert, "name" | "mapping" | "properties" | "accessEndsAt">;

/** What a row of a batch does to its group. */
export interface Plan {
  outcome: "created" | "changed" | "same" | "deleted" | "rotated";
  /** the group's fields afterwards, if they change */
  after?: Fields;
  /** what the definitions report about `after` */
  warnings?: FieldIssue[];
}

interface Asked {
  mode: BatchMode;
  row: GroupMerge;
  /** the group's current fields; undefined when there is no group */
  was: Fields | undefined;
  /** the new id of the group that had this one recently; undefined when there is none */
  newId: NewId | undefined;
}

/**
 * What a row does to the group in its current state.
 * @throws {AppError} `conflict`, `unknown_user_group`, `renamed`, or `invalid_fields`, also when definitions refuse the
 * row
 */
export function planAllowed(definitions: KnownDefinitions, asked: Asked): Plan {
  const plan = planRow(asked);
  if (plan.outcome === "created") refuseHiddenEnd(asked.row.user_group_id);
  if (plan.after) plan.warnings = requireDefined(definitions, plan.after, asked.was);
  return plan;
}

function planRow({ mode, row, was, newId }: Asked): Plan {
  if (!was) {
    if (newId !== undefined) throw renamed(newId);
    if (mode === "delete" || mode === "rotate") throw unknownGroup();
    if (mode !== "create" && mode !== "upsert") {
      const message = "No user group in this environment has this user_group_id. To create it, use the mode upsert.";
      throw new AppError("unknown_user_group", message);
    }
    return {
      outcome: "created",
      after: fieldsOf(mode, row, { name: row.user_group_id, mapping: "{}", properties: null, accessEndsAt: null }),
    };
  }
  if (mode === "create") throw alreadyExists();
  if (mode === "delete") return { outcome: "deleted" };
  if (mode === "rotate") return { outcome: "rotated" };
  const after = fieldsOf(mode, row, was);
  const isSame =
    after.name === was.name &&
    after.mapping === was.mapping &&
    after.properties === was.properties &&
    after.accessEndsAt === was.accessEndsAt;
  return isSame ? { outcome: "same" } : { outcome: "changed", after };
}

/** The error for creating a group with a taken id. */
export function alreadyExists(): AppError {
  return new AppError("conflict", "A user group with this user_group_id already exists, and was left unchanged.");
}

function fieldsOf(mode: BatchMode, { name, mapping, properties, access_ends_at }: GroupMerge, was: Fields): Fields {
  const isMerge = mode === "merge" || mode === "upsert";
  const replace = (field: "mapping" | "properties", patch: { text: string }) =>
    isMerge ? mergedField(field, was[field] ?? "{}", patch.text) : patch.text;
  return {
    name: name ?? was.name,
    mapping: mapping ? replace("mapping", mapping) : was.mapping,
    properties: properties ? replace("properties", properties) : properties === null ? null : was.properties,
    accessEndsAt: access_ends_at === undefined ? was.accessEndsAt : access_ends_at,
  };
}
