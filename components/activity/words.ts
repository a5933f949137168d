import { type ChangedPart, changedParts } from "@/components/changes/changes";
import { durationBetween, formatTime } from "@/components/relative-time";
import type { ActivityEntry } from "@/lib/audit/queries";

const SUBJECTS = new Map([
  ["user_group", "User group"],
  ["user_groups", "User groups"],
  ["history", "History"],
  ["api_token", "API token"],
  ["environment", "Environment"],
  ["member", "Member"],
  ["webhook", "Webhook"],
]);

const VERBS = new Map([
  ["user_group.token_rotated", "Rotated the token"],
  ["user_group.token_revealed", "Revealed the token"],
  ["user_group.token_copied", "Copied the token"],
  ["user_group.overlap_ended", "Ended the old token"],
  ["user_group.renamed", "Changed the id"],
  ["user_group.erased", "Erased for good"],
  ["user_group.views_ended", "Ended all views"],
  ["user_group.viewer_ended", "Ended one person’s views"],
  ["user_group.viewed_as", "Viewed the dashboards"],
  ["user_group.origins_changed", "Changed the allowed origins"],
  ["environment.viewer_settings_changed", "Changed the viewer settings"],
  ["environment.definitions_changed", "Changed the rules"],
  ["environment.viewer_key_rotated", "Rotated a signing key"],
  ["environment.viewer_key_revoked", "Revoked a signing key"],
  ["user_groups.import_cancelled", "Cancelled the import"],
  ["api_token.networks_changed", "Changed the networks"],
  ["member.invited", "Invited"],
  ["member.invite_withdrawn", "Withdrew the invitation"],
  ["member.password_changed", "Changed the password"],
  ["member.password_link_made", "Created a password link"],
  ["member.password_reset", "Set a new password"],
  ["member.role_changed", "Changed the role"],
  ["member.sessions_ended", "Ended sessions"],
  ["member.sign_in_failed", "Failed to sign in"],
  ["member.sign_in_linked", "Linked single sign-on"],
  ["member.sign_in_unlinked", "Unlinked single sign-on"],
  ["member.backup_codes_made", "Created backup codes"],
  ["member.two_factor_enabled", "Turned on the second factor"],
  ["member.two_factor_disabled", "Turned off the second factor"],
  ["member.two_factor_reset", "Reset the second factor"],
  ["webhook.secret_rotated", "Rotated the secret"],
]);

/** "Rotated the token"; an action without an entry uses its own word: "Created". */
export function verbOf(action: string): string {
  const word = action.slice(action.indexOf(".") + 1).replaceAll("_", " ");
  return VERBS.get(action) ?? word.charAt(0).toUpperCase() + word.slice(1);
}

/** The kind of subject: "API token". */
function subjectOf(action: string): string {
  const [kind = ""] = action.split(".");
  return SUBJECTS.get(kind) ?? kind;
}

/** The parts of an entry's sentence, in order after its author: verb, preposition, subject. */
export interface Sentence {
  verb: string;
  preposition?: string;
  /** the kind of subject; blank for a group */
  subject: string;
  reason?: string;
}

/** Verbs about a part of their subject: "rotated the token of Acme". */
const OF = new RegExp(
  "\\b(?:token|secret|password|role|networks|link|invitation|sessions|sign-on|codes|factor|views|dashboards|origins|" +
    "settings|rules|key|id)$",
);

export function sentenceOf(entry: ActivityEntry): Sentence {
  const { action } = entry;
  const spoken = verbOf(action);
  const verb = spoken.charAt(0).toLowerCase() + spoken.slice(1);
  const kind = subjectOf(action);
  // Initialisms keep their capitals.
  const subject = kind.startsWith("API") ? `the ${kind}` : kind === "User groups" ? "" : `the ${kind.toLowerCase()}`;
  if (action === "user_group.updated") return { ...changed(entry), subject };
  if (action === "member.sign_in_failed") return { verb, subject: "" };
  const reason = reasonIn(entry) ?? overlapIn(entry);
  return { verb, subject, ...(OF.test(verb) && { preposition: "of" }), ...(reason && { reason }) };
}

const known = new WeakMap<ActivityEntry, ChangedPart[]>();

/** An entry's differences, computed once. */
export function partsOf(entry: ActivityEntry): ChangedPart[] {
  const parts = known.get(entry) ?? changedParts(entry.before, entry.after);
  known.set(entry, parts);
  return parts;
}

function changed(entry: ActivityEntry): Pick<Sentence, "verb" | "preposition"> {
  const parts = partsOf(entry);
  const [part] = parts;
  if (!part) return { verb: "saved", preposition: "" };
  const count = part.changes.length;
  if (parts.length > 1)
    return { verb: `changed ${parts.map(({ label }) => label.toLowerCase()).join(" and ")}`, preposition: "in" };
  if (part.isOrderOnly) return { verb: `reordered the ${part.label.toLowerCase()}`, preposition: "in" };
  if (part.label === "Properties")
    return { verb: `changed ${count} ${count === 1 ? "property" : "properties"}`, preposition: "in" };
  return {
    verb: `changed the ${part.label === "Access ends" ? "end of access" : part.label.toLowerCase()}`,
    preposition: "of",
  };
}

/** Why a group was suspended, or how long a person is blocked. */
function reasonIn({ action, after }: ActivityEntry): string | undefined {
  const { reason, blocked_until: until } = after?.kind === "other" ? after.fields : {};
  if (action === "user_group.viewer_ended")
    return typeof until === "string" ? `blocked until ${formatTime(until)}` : undefined;
  return action === "user_group.suspended" && typeof reason === "string" ? reason : undefined;
}

/** How long the old token works after a rotation: "the old one works for 24 h". */
function overlapIn({ at, action, after }: ActivityEntry): string | undefined {
  if (action !== "user_group.token_rotated" || after?.kind !== "group" || !after.previousTokenValidUntil)
    return undefined;
  return `the old one works for ${durationBetween(at, after.previousTokenValidUntil)}`;
}

/** An action with its subject: "User group: rotated the token". */
export function actionInWords(action: string): string {
  const verb = verbOf(action);
  return `${subjectOf(action)}: ${verb.charAt(0).toLowerCase()}${verb.slice(1)}`;
}

/** The count of a combined entry: "× 12". */
export function timesIn({ after }: ActivityEntry): string {
  const attempts = after?.kind === "other" ? after.fields.attempts : undefined;
  return typeof attempts === "number" && attempts > 1 ? ` × ${attempts}` : "";
}

/** The name of an API token, environment or member, or the origin of a webhook; blank if the entry has none. */
export function nameIn({ action, before, after }: ActivityEntry): string {
  for (const state of [after, before]) {
    if (state?.kind !== "other") continue;
    const { name, email, url } = state.fields;
    const found = name ?? email ?? url;
    if (typeof found === "string") return found;
  }
  return action === "member.sign_in_failed" ? "with an unknown email" : "";
}
