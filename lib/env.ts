import { existsSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { StartError } from "@/lib/errors";
import { processWide } from "@/lib/process-wide";

/** An empty variable counts as unset: compose files pass `NAME=` for what was left out. */
const optional = <T extends z.ZodType>(schema: T) => z.preprocess((value) => value || undefined, schema.optional());
const number = (fallback: number, min: number, max: number) => {
  const wanted = `must be a whole number from ${min} to ${max}`;
  return z.preprocess(
    (value) => value || fallback,
    z.coerce.number(wanted).int(wanted).min(min, wanted).max(max, wanted),
  );
};

// Node skips what is not base64, so the pattern has to notice a key that was mistyped or cut.
const secretKey = z
  .string()
  .regex(
    /^(?:[0-9a-f]{64}|[\w+/-]{43}=?)$/i,
    "must be 32 bytes in base64 or hex: make one with `openssl rand -base64 32`",
  )
  .transform((text) => Buffer.from(text, text.length === 64 ? "hex" : "base64"));

const schema = z.object({
  DATABASE_URL: optional(
    z
      .string()
      .regex(/^postgres(ql)?:\/\/./, "must be a PostgreSQL URL: postgresql://user:password@host:5432/database")
      .refine(URL.canParse, "is not a URL: percent-encode what is special in the user name and the password"),
  ),
  DATABASE_POOL_SIZE: number(10, 1, 1000),
  DATA_DIR: z.preprocess((value) => path.resolve(String(value || ".data")), z.string()),
  HOST: z.preprocess((value) => value || "127.0.0.1", z.string()),
  PORT: number(3000, 0, 65_535),
  SECRET_KEY: optional(secretKey),
  PREVIOUS_SECRET_KEY: optional(secretKey),
  API_TOKEN: optional(z.string().regex(/^[\x21-\x7e]{32,255}$/, "must be 32 to 255 visible ASCII characters")),
  API_TOKEN_ENVIRONMENT: z.preprocess((value) => value || "testing", z.string()),
  ADMIN_EMAIL: optional(z.email("must be an email address").toLowerCase()),
  ADMIN_PASSWORD: optional(
    z.string().min(12, "must have at least 12 characters").max(256, "must have at most 256 characters"),
  ),
  LOG_LEVEL: z.preprocess(
    (value) => value || "info",
    z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]),
  ),
  NODE_ENV: z.preprocess((value) => value || "production", z.string()),
});

/**
 * The configuration, read once from the environment and from `.env` beside package.json.
 * @throws {StartError} that names each variable that is wrong, never its value
 */
export function env(): z.infer<typeof schema> {
  return processWide("env", () => {
    if (existsSync(".env")) process.loadEnvFile(".env");
    const result = schema.safeParse(process.env);
    if (result.success) return result.data;
    const lines = result.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
    throw new StartError(`The configuration cannot be used:\n${lines.join("\n")}`);
  });
}
