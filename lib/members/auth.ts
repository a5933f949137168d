import { betterAuth } from "better-auth";
import { prismaAdapter } from "better-auth/adapters/prisma";
import { APIError } from "better-auth/api";
import { usableKeys } from "@/lib/crypto/keyring";
import { prisma } from "@/lib/db/prisma";
import { log } from "@/lib/log";
import { processWide } from "@/lib/process-wide";

/** The header in which the front door says where a request comes from; it overwrites one that a client sends. */
export const CLIENT_ADDRESS = "x-client-address";

/** Sign-in: sessions in the database, looked up on every request, so that an ended one ends at once. */
export function auth() {
  return processWide("auth", makeAuth);
}

function makeAuth() {
  return betterAuth({
    appName: "User groups",
    basePath: "/api/auth",
    // The current key first: better-auth writes the version beside what it encrypts, and reads both.
    secrets: usableKeys()
      .reverse()
      .map((key) => ({ version: key.id.readUInt32BE(), value: key.session.toString("base64url") })),
    database: prismaAdapter(prisma(), { provider: "postgresql", transaction: true }),
    telemetry: { enabled: false },
    // Its words without their details, which name people.
    logger: { level: "warn", log: (level, message) => log()[level]({ from: "better-auth" }, message) },
    // The address that Next gives a request is the one we listen on, not the one the browser has.
    trustedOrigins: (request) => originsOf(request?.headers.get("host")),
    user: {
      modelName: "member",
      additionalFields: {
        role: { type: "string", input: false },
        disabledAt: { type: "date", required: false, input: false },
      },
    },
    emailAndPassword: { enabled: true, disableSignUp: true, minPasswordLength: 12, maxPasswordLength: 256 },
    disabledPaths: ["/update-user", "/change-email", "/delete-user", "/sign-up/email"],
    session: { expiresIn: 7 * 86_400, updateAge: 86_400, cookieCache: { enabled: false } },
    rateLimit: {
      enabled: true,
      storage: "database",
      customRules: { "/sign-in/email": { window: 60, max: 20 } },
    },
    advanced: { cookiePrefix: "user-groups", ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS] } },
    databaseHooks: {
      session: {
        create: {
          before: async ({ userId }) => {
            const member = await prisma().member.findUnique({ where: { id: userId }, select: { disabledAt: true } });
            if (!member || member.disabledAt) {
              // The words of a wrong password: whether an account exists or is disabled is nobody's business.
              throw new APIError("UNAUTHORIZED", { message: "Invalid email or password" });
            }
          },
        },
      },
    },
  });
}

function originsOf(host: string | null | undefined): string[] {
  return host ? [`http://${host}`, `https://${host}`] : [];
}
