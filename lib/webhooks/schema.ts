import { z } from "zod";
import { author } from "@/lib/audit/schema";
import { eventType } from "@/lib/events/schema";
import { answered, nullableCount } from "@/lib/json/answered";
import { instant } from "@/lib/json/instant";
import { nested } from "@/lib/json/nested";
import { LARGEST_NUMBER, pageCursor, pageSize, rowNumber } from "@/lib/json/query-fields";
import { isSafe, UNSAFE } from "@/lib/json/visible-text";
import { DELIVERY_STATES } from "@/lib/webhooks/facts";

const MAX_URL = 2_048;
const MAX_TYPES = 20;

/** Why an attempt failed. */
const ATTEMPT_ERRORS = [
  "dns",
  "address_refused",
  "connect",
  "tls",
  "timeout",
  "reset",
  "redirect",
  "status",
  "too_large",
] as const;
export type AttemptError = (typeof ATTEMPT_ERRORS)[number];

/** Why a webhook is disabled. */
const DISABLED_REASONS = ["gone", "failing", "asked"] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

const webhookId = z
  .int("must be a whole number: the id of a webhook")
  .min(1, "must be at least 1")
  .max(LARGEST_NUMBER, `must be at most ${LARGEST_NUMBER}`)
  .meta({ examples: [1] });

const url = z
  .string("must be a string")
  .max(MAX_URL, `must have at most ${MAX_URL} characters`)
  .refine(isSafe, UNSAFE)
  .refine((text) => URL.canParse(text) && new URL(text).protocol === "https:", "must be an https URL")
  .refine((text) => !text.includes("#"), "must not have a fragment")
  .refine(hasNoCredentials, "must not contain a user name or password: check the signature instead")
  // A host can be written in many ways: stored in the form in which it is called.
  .transform((text) => (URL.canParse(text) ? new URL(text).href : text))
  .refine(({ length }) => length <= MAX_URL, `must have at most ${MAX_URL} characters, percent-encoded`)
  .meta({ description: "Where to send events: https.", examples: ["https://example.com/hooks/user-groups"] });

function hasNoCredentials(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

const description = z
  .string("must be a string")
  .max(255, "must have at most 255 characters")
  .refine(isSafe, UNSAFE)
  .meta({ description: "Free text.", examples: ["billing"] });

const types = nested(
  z
    .array(eventType, "must be a list of types, or null for all")
    .min(1, "must have at least one type")
    .max(MAX_TYPES, `must have at most ${MAX_TYPES} types`)
    .nullable(),
).meta({
  description: "The types of events to send; `user_group.*` for all with that prefix, null for all.",
  examples: [["user_group.*"]],
});

/** An example of a new webhook. */
export const WEBHOOK_EXAMPLE = {
  url: "https://example.com/hooks/user-groups",
  description: "billing",
  types: ["user_group.*"],
};
/** The body that creates a webhook. */
export const newWebhook = z.strictObject(
  { url, description: description.default(""), types: types.default(null) },
  'must be an object, such as {"url":"https://example.com/hook"}',
);
export type NewWebhook = z.infer<typeof newWebhook>;

/** The body that names a webhook. */
export const webhookInput = z.strictObject({ webhook_id: webhookId });

/** The body that changes a webhook; an omitted member stays unchanged. */
export const webhookChange = z
  .strictObject({
    webhook_id: webhookId,
    url: url.optional(),
    description: description.optional(),
    types: types.optional(),
    enabled: z.boolean("must be true or false").optional(),
    from: z
      .literal("now", "must be now")
      .optional()
      .describe("`now` skips the events not yet sent, such as those from while it was disabled."),
  })
  .refine((given) => Object.keys(given).length > 1, "must have something to change");
export type WebhookChange = z.infer<typeof webhookChange>;

/** The body of a replay: one delivery, all failed ones, or all events since a time. */
export const webhookReplay = z
  .strictObject({
    webhook_id: webhookId,
    delivery_id: z
      .string("must be a string: the id of a delivery")
      .regex(/^[1-9]\d{0,17}$/, "must be the id of a delivery")
      .optional(),
    failed: z.literal(true, "must be true").optional(),
    since: instant("must be a time, as in 2026-11-20T08:00:00Z")
      .optional()
      .meta({ examples: ["2026-11-20T08:00:00Z"] }),
  })
  .refine(
    ({ delivery_id, failed, since }) => [delivery_id, failed, since].filter((one) => one !== undefined).length === 1,
    "must have exactly one of delivery_id, failed and since",
  );
export type WebhookReplay = z.infer<typeof webhookReplay>;

/** Query of a webhook's deliveries. */
export const deliveriesInput = z.strictObject({
  webhook_id: rowNumber.meta({ examples: ["1"] }),
  state: z
    .enum(DELIVERY_STATES, `must be one of ${DELIVERY_STATES.join(", ")}`)
    .optional()
    .describe("Only deliveries in this state."),
  limit: pageSize("deliveries", 100, 50),
  cursor: pageCursor().describe("`next_cursor` of an earlier answer."),
});
export type DeliveriesQuery = z.infer<typeof deliveriesInput>;

const time = z.iso.datetime();
const AT = { "x-example": "2026-11-26T08:00:00.000Z" };

const webhook = z.strictObject({
  id: z.int().meta({ examples: [1] }),
  url: z.string().meta({ examples: ["https://example.com/hooks/user-groups"] }),
  description: z.string().meta({ "x-example": "billing" }),
  types: z
    .array(z.string())
    .nullable()
    .meta({ description: "null for all.", "x-example": ["user_group.*"] }),
  enabled: z.boolean(),
  disabled_at: time.nullable(),
  disabled_reason: z
    .enum(DISABLED_REASONS)
    .nullable()
    .describe(
      "`gone`: the receiver answered 410. " +
        "`failing`: no success for five days. " +
        "`asked`: a person or program disabled it.",
    ),
  made_by: author.nullable().meta({
    description: "Who created it; null if unknown.",
    examples: [{ type: "api_token", id: "1", name: "backend" }],
  }),
  previous_secret_valid_until: time.nullable().describe("Until when messages carry signatures by former secrets too."),
  health: z
    .strictObject({
      recent: z
        .array(z.enum(DELIVERY_STATES))
        .meta({ description: "The last 100 deliveries, oldest first.", "x-example": ["delivered"] }),
      waiting: z.int().describe("Deliveries waiting for an attempt."),
      last_delivered_at: time.nullable().meta(AT),
      failing_since: time.nullable().describe("Since when every attempt failed; null if the last worked."),
      next_attempt_at: time.nullable().describe("When the next waiting delivery is due."),
      read_until: time
        .nullable()
        .meta({ description: "The time of the last event that was sent or is waiting for an attempt.", ...AT }),
    })
    .describe("The state of the deliveries."),
  created_at: time.meta(AT),
  updated_at: time.meta(AT),
});
export type Webhook = z.infer<typeof webhook>;

/** An environment's webhooks. */
export const webhooksAnswer = answered({ webhooks: z.array(webhook) });
export type WebhooksAnswer = z.infer<typeof webhooksAnswer>;

/** One webhook. */
export const webhookAnswer = answered({ webhook });
export type WebhookAnswer = z.infer<typeof webhookAnswer>;

export const SECRET_EXAMPLE = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
/** A webhook with its secret, which is shown only once. */
export const webhookSecretAnswer = webhookAnswer.extend({
  secret: z.string().meta({ description: "Shown only once.", examples: ["whsec_…"], "x-example": SECRET_EXAMPLE }),
});
export type WebhookSecretAnswer = z.infer<typeof webhookSecretAnswer>;

const delivery = z.strictObject({
  id: z.string().meta({ examples: ["1"] }),
  webhook_id: z.int().meta({ examples: [1] }),
  message_id: z.string().meta({
    description: "The header `webhook-id`, the same in each attempt and replay.",
    examples: ["msg_4711_mi9zk3b4"],
  }),
  type: z.string().meta({ description: "`webhook.test` for a test.", examples: ["user_group.updated"] }),
  team_id: z.int().nullable().meta({ "x-example": 3 }),
  state: z.enum(DELIVERY_STATES).meta({ "x-example": "delivered" }),
  created_at: time.meta(AT),
  next_attempt_at: time.nullable(),
  attempts: z
    .array(
      z.strictObject({
        at: time.meta(AT),
        status: nullableCount("HTTP status; null without an answer.", 200),
        duration_ms: z.int().meta({ "x-example": 41 }),
        error: z.enum(ATTEMPT_ERRORS).nullable(),
      }),
    )
    .describe("Oldest first; the last 50 at most."),
  body: z.string().meta({ description: "The body as sent.", "x-example": '{"id":"4711","type":"user_group.updated"}' }),
});
export type Delivery = z.infer<typeof delivery>;

/** A page of deliveries, newest first. */
export const deliveriesAnswer = answered({
  deliveries: z.array(delivery),
  next_cursor: z.string().nullable().describe("The cursor of the next page; null on the last one."),
});
export type DeliveriesAnswer = z.infer<typeof deliveriesAnswer>;

/** A delivery that waits to be sent. */
export const deliveryAnswer = answered({ delivery });
export type DeliveryAnswer = z.infer<typeof deliveryAnswer>;

/** The answer of a replay. */
export const replayAnswer = answered({
  deliveries: nullableCount("How many deliveries are sent again; null with `since`, which reads the history again.", 1),
});
export type ReplayAnswer = z.infer<typeof replayAnswer>;

/** The answer of a deletion. */
export const deletedWebhookAnswer = answered({});
