import type { BetterAuthPlugin } from "better-auth";
import { createAuthorizationURL, type OAuthProvider } from "better-auth/oauth2";
import { createRemoteJWKSet, customFetch } from "jose";
import { z } from "zod";
import { makeAuth } from "@/lib/auth/auth";
import { bindAccounts } from "@/lib/auth/bind-accounts";
import { verifyIdToken } from "@/lib/auth/id-token";
import { wordsOf } from "@/lib/auth/log-words";
import { askProvider, exchangeCode, readProvider, readUserInfo } from "@/lib/auth/oidc-requests";
import { provesSecondFactor } from "@/lib/auth/oidc-second-factor";
import { OidcRefusal, signInAttempt } from "@/lib/auth/sign-in-attempt";
import { env } from "@/lib/config/env";
import { prisma } from "@/lib/db/prisma";
import { AppError } from "@/lib/errors";
import { log } from "@/lib/telemetry/log";

type Auth = ReturnType<typeof makeAuth>;

let made: Auth | undefined;

const address = z.url({ protocol: /^https?$/ });
/** The fields we use of a provider's metadata (OpenID Connect Discovery 1.0, 3). */
const description = z.object({
  issuer: z.string(),
  authorization_endpoint: address,
  token_endpoint: address,
  jwks_uri: address,
  userinfo_endpoint: address.optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
});
type Description = z.infer<typeof description>;

interface Client {
  clientId: string;
  clientSecret: string;
}

/** The provider's name on the sign-in page; undefined without single sign-on. */
export function oidcName(): string | undefined {
  return env().OIDC_ISSUER && env().OIDC_NAME;
}

/**
 * better-auth with the provider of OIDC_ISSUER, for the single sign-on routes only: discovery must not delay other
 * requests, and is tried again after a failure.
 * @throws {AppError} `not_found` when none is configured, `unavailable` when discovery fails
 */
export async function oidcAuth(): Promise<Auth> {
  if (made) return made;
  const { OIDC_ISSUER, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = env();
  if (!OIDC_ISSUER || !clientId || !clientSecret) {
    throw new AppError("not_found", "Single sign-on is not configured.");
  }
  const provider = providerOf(await discover(OIDC_ISSUER), { clientId, clientSecret });
  const plugin: BetterAuthPlugin = { id: "oidc", init: () => ({ context: { socialProviders: [provider] } }) };
  made = makeAuth([plugin]);
  return made;
}

/** OpenID Connect Discovery 1.0, 4.3: the metadata must name exactly the configured issuer. */
async function discover(wanted: string): Promise<Description> {
  const url = `${wanted.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const answer = await askProvider(url).catch((cause: unknown) => {
    throw unreachable(cause);
  });
  const described = description.safeParse(answer.json);
  if (answer.status !== 200 || described.data?.issuer !== wanted) {
    throw unreachable(`${url} does not describe OIDC_ISSUER: status ${answer.status}`);
  }
  return described.data;
}

/** The provider for better-auth. Only a verified ID token identifies a person. */
function providerOf(described: Description, options: Client): OAuthProvider<{ sub: string }> {
  const { issuer, authorization_endpoint, token_endpoint, jwks_uri } = described;
  const methods = described.token_endpoint_auth_methods_supported;
  const keys = createRemoteJWKSet(new URL(jwks_uri), {
    [customFetch]: async (url) => {
      const { status, text } = await readProvider(url);
      return new Response(text, { status });
    },
  });
  return {
    id: "oidc",
    name: env().OIDC_NAME,
    issuer,
    requiresIdTokenNonce: true,
    accountSubject: ({ profile }) => profile.sub,
    createAuthorizationURL: ({ state, codeVerifier, redirectURI, idTokenNonce }) =>
      createAuthorizationURL({
        id: "oidc",
        options,
        authorizationEndpoint: authorization_endpoint,
        scopes: ["openid", "email", "profile"],
        nonce: idTokenNonce,
        state,
        codeVerifier,
        redirectURI,
      }),
    validateAuthorizationCode: ({ code, codeVerifier, redirectURI }) =>
      exchangeCode({ methods, tokenEndpoint: token_endpoint, code, codeVerifier, redirectURI, options }),
    async getUserInfo({ idToken, accessToken, expectedIdTokenNonce: nonce }) {
      try {
        const claims = await verifyIdToken(idToken, { issuer, clientId: options.clientId, keys, nonce });
        const { sub } = claims;
        Object.assign(signInAttempt(), { subject: sub, provesSecondFactor: provesSecondFactor(claims.amr) });
        const linked = await linkedAddress(issuer, sub);
        if (linked) return { user: linked, data: { sub } };
        const address = await readAddress(described, claims, accessToken);
        if (!(await isOfMember(address))) {
          signInAttempt().unproven = { email: address.email, verified: address.emailVerified };
        }
        return { user: address, data: { sub } };
      } catch (error) {
        if (!(error instanceof OidcRefusal)) throw error;
        signInAttempt().reason = error.reason;
        log().warn({ reason: wordsOf(error) }, "single sign-on was refused");
        return null;
      }
    },
    disableSignUp: true,
    options: { disableSignUp: true },
  };
}

interface Address {
  email: string | null;
  emailVerified: boolean;
}

/**
 * The address of the member to whom an account is linked. For a linked account only the `sub` counts, which does not
 * verify the address.
 * @throws {OidcRefusal} when it was linked at another issuer, where the same `sub` may be another person
 */
async function linkedAddress(issuer: string, accountId: string): Promise<Address | undefined> {
  const linked = await prisma().account.findUnique({
    where: { providerId_accountId: { providerId: "oidc", accountId } },
    select: { issuer: true, member: { select: { email: true } } },
  });
  if (!linked) return undefined;
  // An instance of 0.9.0 can link one after the start that bound the others.
  if (linked.issuer === null) await bindAccounts();
  else if (linked.issuer !== issuer)
    throw new OidcRefusal("other_issuer", 'the "sub" is linked at another OIDC_ISSUER');
  return { email: linked.member.email, emailVerified: false };
}

/** Whether the provider has verified an address that a member has. */
async function isOfMember({ email, emailVerified }: Address): Promise<boolean> {
  if (!emailVerified || email === null) return false;
  return (await prisma().member.findUnique({ where: { email: email.toLowerCase() }, select: { id: true } })) !== null;
}

/**
 * Cognito and PingOne send strings in userinfo, and "false" is truthy: any value but true and "true" counts as false.
 */
const addressClaims = z.object({
  // RFC 5321, 4.5.3.1: an address is not longer.
  email: z.string().min(1).max(320).optional().catch(undefined),
  email_verified: z
    .unknown()
    .optional()
    .transform((said) => (said === undefined || said === null ? undefined : said === true || said === "true")),
});

/** The address in an ID token or, if that lacks one of the two claims, in userinfo too; an explicit false counts. */
async function readAddress({ userinfo_endpoint }: Description, claims: { sub: string }, token: string | undefined) {
  const own = addressClaims.parse(claims);
  const isComplete = own.email !== undefined && own.email_verified !== undefined;
  const more = addressClaims.parse(isComplete ? {} : await readUserInfo(userinfo_endpoint, token, claims.sub));
  // The ID token's claim about its own address says nothing about the address from userinfo.
  const isVerified = more.email === undefined ? (own.email_verified ?? more.email_verified) : more.email_verified;
  return { email: more.email ?? own.email ?? null, emailVerified: isVerified === true && own.email_verified !== false };
}

function unreachable(cause: unknown): AppError {
  return new AppError("unavailable", "The single sign-on provider is unavailable. Try again shortly.", {
    headers: { "Retry-After": "5" },
    cause,
  });
}
