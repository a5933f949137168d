import { z } from "zod";

/** A request as the service received it through proxies, and the service's related settings. */
export const diagnosisAnswer = z.object({
  success: z.literal(1),
  version: z.string(),
  commit: z
    .string()
    .nullable()
    .optional()
    .describe("The commit that the service was built from, with `-dirty` after changes; null if unknown."),
  versions: z
    .array(z.string())
    .describe("The versions of the service that use this database now: more than one during an upgrade."),
  time: z.iso
    .datetime()
    .meta({ description: "The time by the service's clock.", "x-example": "2026-11-22T06:30:00.000Z" }),
  database_time: z.iso
    .datetime()
    .optional()
    .meta({ description: "The time by the database's clock.", "x-example": "2026-11-22T06:30:00.000Z" }),
  address: z
    .string()
    .meta({ description: "The client's address, as the service determined it.", "x-example": "203.0.113.7" }),
  forwarded_for: z.int().meta({ description: "The number of entries in `X-Forwarded-For`.", "x-example": 1 }),
  trusted_proxies: z.int().meta({ "x-example": 1 }),
  host: z.string().nullable().meta({ "x-example": "groups.example.com" }),
  public_url: z.string().nullable().meta({ "x-example": "https://groups.example.com" }),
  is_database_owner: z.boolean().meta({
    description: "Whether the service's database role could change the history: it owns the tables, or is a superuser.",
    "x-example": false,
  }),
  overdue_months: z
    .int()
    .nullable()
    .optional()
    .describe("How many months of the history should have been dropped by `HISTORY_KEPT`; null without it."),
  has_previous_key: z
    .boolean()
    .meta({ description: "Whether `PREVIOUS_SECRET_KEY` is still set.", "x-example": false }),
  backup: z
    .object({
      is_on: z.boolean().describe("Whether `BACKUP_DIR` is set."),
      last_backup_at: z.iso.datetime().nullable().describe("When the last backup began."),
    })
    .nullable()
    .optional()
    .describe("The backups of the embedded database; null with `DATABASE_URL`."),
  feed_lag: z
    .object({ seconds: z.number(), pid: z.int().nullable(), prepared: z.string().nullable() })
    .optional()
    .describe(
      "The age of the oldest open transaction that writes, which holds up events, and its session: `pid`, or " +
        "the name of a prepared transaction.",
    ),
  disabled_webhooks: z
    .int()
    .optional()
    .describe(
      "How many webhooks of all environments the service has disabled: their receivers failed for five days, " +
        "or answered 410.",
    ),
});

export type Diagnosis = z.infer<typeof diagnosisAnswer>;
