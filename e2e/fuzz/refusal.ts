import assert from "node:assert/strict";
import { errorShape, type Response } from "../fixtures/api";

// As expectError and its like of the other tests, by assertions that take no note of each call: here there are
// thousands.

/** Holds an answer against the shape of every failure, and gives it back. */
export function assertRefused(answer: Response, status: number, code: string): Response {
  assert.deepEqual({ status: answer.status, code: answer.json?.error?.code }, { status, code }, answer.text);
  const { error } = errorShape.parse(answer.json);
  assert.equal(answer.headers["cache-control"], "no-store");
  assert.equal(answer.headers["x-request-id"], error.request_id);
  return answer;
}

/** Holds an answer to be a success, and gives it back. */
export function assertTaken(answer: Response): Response {
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json.success, 1);
  return answer;
}
