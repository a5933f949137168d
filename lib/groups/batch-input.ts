import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { turns } from "@/lib/db/turns";
import type { Call } from "@/lib/endpoint/call";
import { bodyMissing, checkMediaType, decodeBody, readJson } from "@/lib/endpoint/input";
import { type FieldIssue, invalidFields } from "@/lib/errors";
import { type BatchMode, batchFrame, MAX_BATCH } from "@/lib/groups/batch-schema";
import { type GroupMerge, groupById, groupMerge, groupRequest } from "@/lib/groups/schema";
import { checkFields } from "@/lib/json/fields";
import { type Element, FrameError, type ListDocument, parseElement, splitList } from "@/lib/json/list";
import { isObject } from "@/lib/json/raw-json";

const LIST = "user_groups";
/** The most characters of a row: the same as a single call's body. */
const LONGEST_ROW = 262_144;
/** The most characters outside the list. */
const LONGEST_FRAME = 65_536;
/** The row schema of each mode: the body of the single call. */
const ROWS = {
  create: groupRequest,
  update: groupRequest,
  merge: groupMerge,
  upsert: groupMerge,
  delete: groupById,
  rotate: groupById,
};
/** A row of a batch: a group, or the row's issues. */
type BatchRow =
  | { fields: GroupMerge; issues?: undefined }
  | { fields?: undefined; providedId: string | null; issues: FieldIssue[] };

/** A batch as it was sent. */
export interface Batch {
  mode: BatchMode;
  isDryRun: boolean;
  /** of rotations */
  overlapSeconds: number;
  rows: BatchRow[];
  /** of the body, for an Idempotency-Key */
  digest: Buffer;
}

/**
 * Reads a batch; an invalid row does not fail the others.
 * @throws {AppError} `invalid_json`, `body_missing`, `unsupported_media_type` or `invalid_fields`
 */
export async function readBatch(call: Call, body: Uint8Array): Promise<Batch> {
  if (body.length === 0) throw bodyMissing(call);
  checkMediaType(call);
  if (call.query !== undefined) {
    throw invalidFields([{ path: [], message: "POST takes a JSON body, not a query" }]);
  }
  const digest = createHash("sha256").update(body).digest();
  const text = decodeBody(body);
  await nextTurn();
  const document = readJson(() => split(text), "The body");
  await nextTurn();
  const { mode, dry_run = false, overlap_seconds: overlapSeconds = 0 } = checkFrame(document);
  const rows: BatchRow[] = [];
  const yieldTurn = turns();
  for (const [index, element] of (document.elements ?? []).entries()) {
    rows.push(readRow(text, element, { index, mode }));
    await yieldTurn();
  }
  return { mode, isDryRun: dry_run, overlapSeconds, rows, digest };
}

function split(text: string): ListDocument {
  try {
    return splitList(text, { name: LIST, most: MAX_BATCH, around: LONGEST_FRAME });
  } catch (error) {
    if (!(error instanceof FrameError)) throw error;
    const most = `the body must have at most 64 KiB outside the list ${LIST}`;
    const message = error.hasList ? most : `${most}, and no such list begins there`;
    throw invalidFields([{ path: [], message }]);
  }
}

function checkFrame({ members, elements, hasMore }: ListDocument) {
  if (!isObject(members)) throw invalidFields([{ path: [], message: "the body must be a JSON object" }]);
  const { value, issues = [] } = checkFields(members, batchFrame);
  const path = [LIST];
  if (!(LIST in members)) issues.push({ path, message: "is required" });
  else if (!elements) issues.push({ path, message: "must be a list of user groups" });
  else if (elements.length === 0) issues.push({ path, message: "must name a user group" });
  if (hasMore) issues.push({ path, message: `must name at most ${MAX_BATCH} user groups` });
  if (!value || issues.length > 0) throw invalidFields(issues);
  return value;
}

function readRow(document: string, element: Element, { index, mode }: { index: number; mode: BatchMode }): BatchRow {
  const refuse = (issues: FieldIssue[], providedId: string | null = null): BatchRow => ({
    providedId,
    issues: issues.map(({ path, message }) => ({ path: [LIST, index, ...path], message })),
  });
  if (element.text.length > LONGEST_ROW) return refuse([{ path: [], message: "must have at most 256 KiB" }]);
  const members = readJson(() => parseElement(document, element), "The body");
  if (!isObject(members)) return refuse([{ path: [], message: "must be a JSON object" }]);
  const { value: fields, issues } = checkFields(members, ROWS[mode]);
  if (fields) return { fields };
  const id = groupRequest.shape.user_group_id.safeParse(members.user_group_id);
  return refuse(issues, id.success ? id.data : null);
}
