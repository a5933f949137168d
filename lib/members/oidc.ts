import { genericOAuth } from "better-auth/plugins/generic-oauth";
import { env } from "@/lib/env";
import { AppError } from "@/lib/errors";
import { makeAuth } from "@/lib/members/auth";

const DISCOVERY_MS = 3_000;

type Auth = ReturnType<typeof makeAuth>;

let made: Auth | undefined;

/** What the sign-in page shows of single sign-on; undefined where none is configured. */
export function oidcName(): string | undefined {
  return env().OIDC_ISSUER && env().OIDC_NAME;
}

/**
 * better-auth with the provider of OIDC_ISSUER, for the routes of single sign-on alone: what asks the provider for its
 * addresses must hold up nobody else, and is tried again after a failure.
 * @throws {AppError} `not_found` where none is configured, `unavailable` when the provider does not say where to go
 */
export async function oidcAuth(): Promise<Auth> {
  if (made) return made;
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = env();
  if (!OIDC_ISSUER || !OIDC_CLIENT_ID || !OIDC_CLIENT_SECRET) {
    throw new AppError("not_found", "Single sign-on is not configured here.");
  }
  const discoveryUrl = `${OIDC_ISSUER.replace(/\/$/, "")}/.well-known/openid-configuration`;
  await checkDiscovery(discoveryUrl, OIDC_ISSUER);
  const auth = makeAuth([
    genericOAuth({
      config: [
        {
          providerId: "oidc",
          discoveryUrl,
          clientId: OIDC_CLIENT_ID,
          clientSecret: OIDC_CLIENT_SECRET,
          scopes: ["openid", "email", "profile"],
          pkce: true,
          requireIdTokenVerification: true,
          disableSignUp: true,
          // Some providers say it in words, and "false" is as true as any.
          mapProfileToUser: ({ email_verified }) => ({ emailVerified: email_verified === true }),
        },
      ],
    }),
  ]);
  const { socialProviders } = await auth.$context;
  if (!socialProviders.some(({ id }) => id === "oidc")) throw unreachable("its description is incomplete");
  made = auth;
  return auth;
}

/** OpenID Connect Discovery 1.0, 4.3: the description must name the very issuer that was configured. */
async function checkDiscovery(url: string, wanted: string) {
  const response = await fetch(url, { signal: AbortSignal.timeout(DISCOVERY_MS) }).catch((cause: unknown) => {
    throw unreachable(cause);
  });
  const described: unknown = await response.json().catch(() => undefined);
  const issuer = typeof described === "object" && described && "issuer" in described ? described.issuer : undefined;
  if (!response.ok || issuer !== wanted) throw unreachable(`${url} does not describe OIDC_ISSUER`);
}

function unreachable(cause: unknown): AppError {
  return new AppError("unavailable", "The single sign-on provider cannot be used just now. Try again shortly.", {
    headers: { "Retry-After": "5" },
    cause,
  });
}
