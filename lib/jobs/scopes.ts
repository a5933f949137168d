import type { Scope, ScopeCondition } from "@/lib/authority/scopes";
import type { Job } from "@/lib/jobs/schema";
import type { JobRecord } from "@/lib/jobs/stored";

/** The scopes that each mode needs. */
export const SCOPES_OF_MODES: Record<Exclude<Job["mode"], "undo">, [Scope, ...Scope[]]> = {
  upsert: ["groups:write"],
  sync: ["groups:write", "groups:delete"],
  set: ["groups:write"],
  merge: ["groups:write"],
  rename: ["groups:write"],
  remove: ["groups:write"],
  suspend: ["groups:write"],
  resume: ["groups:write"],
  rotate: ["tokens:rotate"],
  delete: ["groups:delete"],
};
const DELETING_BY_SYNC: ScopeCondition = { scope: "groups:delete", when: "in the mode sync" };
/** When a job needs which scope, as declared in the API description. */
const IN_MODES: ScopeCondition[] = [
  { scope: "groups:write", when: "to import, set, merge, rename, remove, suspend or resume" },
  { scope: "groups:write", when: "in the mode sync" },
  DELETING_BY_SYNC,
  { scope: "groups:delete", when: "in the mode delete" },
  { scope: "tokens:rotate", when: "in the mode rotate" },
];
const TO_CREATE: ScopeCondition[] = [
  { scope: "groups:write", when: "to create groups" },
  { scope: "groups:create", when: "to create groups" },
];
/** Cancelling a sync deletes nothing. */
const TO_CANCEL = IN_MODES.filter((condition) => condition !== DELETING_BY_SYNC);
/** When an undo needs which scope. */
const OF_UNDO: ScopeCondition[] = [
  { scope: "groups:write", when: "to undo changes" },
  { scope: "groups:delete", when: "to undo creations and deletions" },
];
/** Callers of jobs: the scopes of the single calls. */
const CALLERS = { scopes: ["groups:read"], ofMembers: ["groups:write"] } as const;
export const BEGINNING = { ...CALLERS, sometimes: IN_MODES };
export const APPLYING = { ...CALLERS, sometimes: [...IN_MODES, ...TO_CREATE] };
export const CANCELLING = { ...CALLERS, sometimes: TO_CANCEL };
export const UNDOING = { ...CALLERS, sometimes: OF_UNDO };

/** The scopes that a job needs for what its rows would do. */
export function scopesOfJob({ mode, creates, changes, deletes, restores }: JobRecord): [Scope, ...Scope[]] {
  if (mode !== "undo") return creates > 0 ? [...SCOPES_OF_MODES[mode], "groups:create"] : SCOPES_OF_MODES[mode];
  return undoScopes({ changes, others: deletes + restores });
}

/** The scopes for undoing this many changes, and creations and deletions. */
export function undoScopes({ changes, others }: { changes: number; others: number }): [Scope, ...Scope[]] {
  if (others === 0) return ["groups:write"];
  return changes > 0 ? ["groups:delete", "groups:write"] : ["groups:delete"];
}
