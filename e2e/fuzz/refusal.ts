import assert from "node:assert/strict";
import { errorShape, type Response } from "../fixtures/api";

// Like expectError in other tests, but with assertions that do not record each call: here there are
// thousands.

/** Checks that an answer has the shape of every failure, and returns it. */
export function assertRefused(answer: Response, status: number, code: string): Response {
  assert.deepEqual({ status: answer.status, code: answer.json?.error?.code }, { status, code }, answer.text);
  const { error } = errorShape.parse(answer.json);
  assert.equal(answer.headers["cache-control"], "no-store");
  assert.equal(answer.headers["x-request-id"], error.request_id);
  return answer;
}

/** Checks that an answer is a success, and returns it. */
export function assertTaken(answer: Response): Response {
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json.success, 1);
  return answer;
}
