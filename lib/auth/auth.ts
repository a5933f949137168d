import { type BetterAuthPlugin, betterAuth } from "better-auth";
import { prismaAdapter } from "better-auth/adapters/prisma";
import { twoFactor } from "better-auth/plugins/two-factor";
import { attemptCounts } from "@/lib/auth/attempts";
import {
  admit,
  finish,
  keepIfStillRight,
  recordLinked,
  refuseDisabled,
  refuseSecondAccount,
  refuseShortcuts,
  takePassword,
} from "@/lib/auth/auth-hooks";
import { CLIENT_ADDRESS } from "@/lib/auth/client-address";
import { cookiePrefix } from "@/lib/auth/known-sessions";
import { logWords } from "@/lib/auth/log-words";
import { requireSecondFactor } from "@/lib/auth/oidc-second-factor";
import { MAX_PASSWORD, MIN_PASSWORD } from "@/lib/auth/password-length";
import { authSecrets } from "@/lib/auth/seal";
import type { Verifier } from "@/lib/auth/second-factor";
import { verifyAndRemember } from "@/lib/auth/sign-in-attempt";
import { env } from "@/lib/config/env";
import { once } from "@/lib/config/per-process";
import { databaseNow } from "@/lib/db/clock";
import { prisma } from "@/lib/db/prisma";

/** Guesses allowed per address and minute. */
const GUESSES = { window: 60, max: 20 };

/** Sign-in. Sessions are looked up in the database on every request, so that ending one takes effect immediately. */
export const auth = once(() => makeAuth([]));

/** Creates better-auth with these plugins in addition to the usual ones. */
export function makeAuth(plugins: BetterAuthPlugin[]) {
  const { PUBLIC_URL, OIDC_ISSUER } = env();
  const isHttps = PUBLIC_URL?.startsWith("https:") ?? false;
  return betterAuth({
    appName: "User groups",
    basePath: "/api/auth",
    ...(PUBLIC_URL && { baseURL: PUBLIC_URL }),
    secrets: authSecrets(),
    database: prismaAdapter(prismaByOwnClock(), { provider: "postgresql", transaction: true }),
    telemetry: { enabled: false },
    logger: { level: "warn", log: logWords },
    // Requests arrive with a made-up URL (lib/endpoint/sign-in.ts); the browser's origin is in Host.
    trustedOrigins(request) {
      const host = request?.headers.get("host");
      return PUBLIC_URL ? [PUBLIC_URL] : host ? [`http://${host}`, `https://${host}`] : [];
    },
    user: {
      modelName: "member",
      additionalFields: {
        role: { type: "string", input: false },
        disabledAt: { type: "date", required: false, input: false },
      },
    },
    account: {
      updateAccountOnSignIn: false,
      additionalFields: { issuer: { type: "string", required: false, input: false } },
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: MIN_PASSWORD,
      maxPasswordLength: MAX_PASSWORD,
      password: { verify: verifyAndRemember },
    },
    session: {
      expiresIn: 7 * 86_400,
      // Also the precision of a session's last-seen time.
      updateAge: 3_600,
      cookieCache: { enabled: false },
      // The database sets it.
      additionalFields: { signedInAt: { type: "date", required: false, input: false } },
    },
    rateLimit: {
      enabled: true,
      customStorage: attemptCounts,
      window: 60,
      max: 600,
      customRules: { "/sign-in/*": GUESSES, "/two-factor/*": GUESSES, "/change-password": GUESSES },
    },
    advanced: {
      cookiePrefix: cookiePrefix(),
      useSecureCookies: false,
      defaultCookieAttributes: { secure: isHttps },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS] },
    },
    // Callers turn errors into answers: they can distinguish an unreachable database from a mistake.
    onAPIError: { throw: true, errorURL: `${PUBLIC_URL ?? ""}/sign-in` },
    plugins: [twoFactor({ backupCodeOptions: { storeBackupCodes: "encrypted" } }), ...plugins],
    hooks: { before: refuseShortcuts((): Verifier => auth().api), after: finish },
    databaseHooks: {
      session: {
        create: { before: admit, after: keepIfStillRight },
      },
      account: {
        create: {
          // Provider tokens would let anyone who reads the database act elsewhere, and nothing here needs them.
          before: async ({ userId, providerId }) => {
            await refuseDisabled(userId);
            await refuseSecondAccount(userId, providerId);
            await requireSecondFactor(userId);
            return { data: { issuer: OIDC_ISSUER ?? null, accessToken: null, refreshToken: null, idToken: null } };
          },
          after: recordLinked,
        },
        update: { before: takePassword },
      },
    },
  });
}

/** Smaller clock differences are ignored, so that a time that is read and compared again stays the same. */
const NOTICED_MS = 1_000;

let offset = 0;

/**
 * Prisma for better-auth, which compares times with this machine's clock. Stored times follow the database's clock;
 * this client translates them both ways.
 */
function prismaByOwnClock() {
  return prisma().$extends({
    query: {
      async $allOperations({ args, query }) {
        const ahead = await databaseAhead();
        return ahead === 0 ? query(args) : shift(await query(shift(args, ahead)), -ahead);
      },
    },
  });
}

/** How far the database's clock is ahead of this machine's, in milliseconds. */
async function databaseAhead(): Promise<number> {
  const now = (await databaseNow()).getTime() - Date.now();
  if (Math.abs(now - offset) > NOTICED_MS) offset = Math.abs(now) > NOTICED_MS ? now : 0;
  return offset;
}

/** Returns a copy with every time shifted. */
function shift<T>(value: T, milliseconds: number): T {
  if (value instanceof Date) return new Date(value.getTime() + milliseconds) as T;
  if (Array.isArray(value)) return value.map((one) => shift(one, milliseconds)) as T;
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shift(one, milliseconds)])) as T;
}
