import { creationsOf, USUAL_LIMITS } from "@/lib/config/env";
import { MAX_BODY_BYTES } from "@/lib/endpoint/call";
import { BATCHES_AT_ONCE, MAX_BATCH, MAX_BATCH_BYTES } from "@/lib/groups/batch-schema";
import { MAX_CHARACTERS, MAX_OBJECT_BYTES } from "@/lib/groups/schema";
import { MAX_DEPTH } from "@/lib/json/json";

/** A limit for callers, and the code for exceeding it. */
export interface Limit {
  what: string;
  limit: string;
  code: string;
}

const kib = (bytes: number) => `${bytes / 1024} KiB`;
const perMinute = (count: number, whom: string) => `${count.toLocaleString("en")} a minute per ${whom}`;

export const LIMITS: Limit[] = [
  { what: "`user_group_id`, `name`", limit: `1 to ${MAX_CHARACTERS} characters each`, code: "invalid_fields" },
  { what: "`mapping`, `properties`", limit: `${kib(MAX_OBJECT_BYTES)} each, in UTF-8`, code: "invalid_fields" },
  { what: "`Idempotency-Key`", limit: "1 to 255 visible ASCII characters, kept for 24 h", code: "invalid_fields" },
  { what: "A body", limit: kib(MAX_BODY_BYTES), code: "body_too_large" },
  { what: "A batch", limit: `${MAX_BATCH} groups, ${MAX_BATCH_BYTES / 1_048_576} MiB`, code: "body_too_large" },
  { what: "Batches at the same time", limit: `${BATCHES_AT_ONCE} per API token and instance`, code: "rate_limited" },
  { what: "Nesting of a body", limit: `${MAX_DEPTH} levels`, code: "invalid_json" },
  { what: "Headers together", limit: "16 KiB", code: "headers_too_large" },
  { what: "Sending a request", limit: "8 s", code: "request_timeout" },
  { what: "Requests", limit: perMinute(USUAL_LIMITS.requests, "API token, and per address"), code: "rate_limited" },
  { what: "New groups", limit: perMinute(creationsOf(USUAL_LIMITS.requests), "API token"), code: "rate_limited" },
  { what: "Bad credentials", limit: perMinute(USUAL_LIMITS.refusals, "address"), code: "rate_limited" },
];
