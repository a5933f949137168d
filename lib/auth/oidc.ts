import type { BetterAuthPlugin } from "better-auth";
import { authorizationCodeRequest, createAuthorizationURL, type OAuthProvider } from "better-auth/oauth2";
import { createRemoteJWKSet, customFetch } from "jose";
import { z } from "zod";
import { makeAuth } from "@/lib/auth/auth";
import { verifyIdToken } from "@/lib/auth/id-token";
import { env } from "@/lib/config/env";
import { AppError } from "@/lib/errors";
import { requestText } from "@/lib/outgoing/request-text";
import { log } from "@/lib/telemetry/log";

/** Bounds of each answer of the provider. */
const BOUNDS = { maxBytes: 262_144, timeoutMs: 3_000 };

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
        ...{ state, codeVerifier, redirectURI },
      }),
    validateAuthorizationCode: async ({ code, codeVerifier, redirectURI }) =>
      exchange(token_endpoint, await authorizationCodeRequest({ code, codeVerifier, redirectURI, options })),
    async getUserInfo({ idToken, accessToken, expectedIdTokenNonce: nonce }) {
      try {
        const claims = await verifyIdToken(idToken, { issuer, clientId: options.clientId, keys, nonce });
        const { email, email_verified } = claims.email
          ? claims
          : await readUserInfo(described, accessToken, claims.sub);
        // Some providers send strings, and "false" is truthy.
        const user = { email: typeof email === "string" ? email : null, emailVerified: email_verified === true };
        return { user, data: { sub: claims.sub } };
      } catch (error) {
        log().warn({ reason: error instanceof Error ? error.message : "unknown" }, "single sign-on was refused");
        return null;
      }
    },
    disableSignUp: true,
    options: { disableSignUp: true },
  };
}

const tokens = z.object({ access_token: z.string().optional(), id_token: z.string().optional() });

/** @throws when the answer is not that of RFC 6749, 5.1 */
async function exchange(tokenEndpoint: string, request: Awaited<ReturnType<typeof authorizationCodeRequest>>) {
  const { status, json } = await askProvider(tokenEndpoint, {
    method: "POST",
    headers: request.headers,
    body: String(request.body),
  });
  if (status !== 200) throw new Error(`the token endpoint answered ${status}`);
  const { access_token: accessToken, id_token: idToken } = tokens.parse(json);
  return { accessToken, idToken };
}

const userInfo = z.object({ sub: z.string(), email: z.unknown().optional(), email_verified: z.unknown().optional() });

/**
 * Fetches the email address that an ID token omits.
 * @throws when the answer is about another person (OpenID Connect Core 1.0, 5.3.2)
 */
async function readUserInfo({ userinfo_endpoint }: Description, accessToken: string | undefined, sub: string) {
  if (!userinfo_endpoint || !accessToken) return { email: undefined, email_verified: undefined };
  const headers = { Authorization: `Bearer ${accessToken}` };
  const { status, json } = await askProvider(userinfo_endpoint, { headers });
  const said = userInfo.safeParse(json);
  if (status !== 200 || said.data?.sub !== sub)
    throw new Error('the userinfo answer does not have the "sub" of the ID token');
  return said.data;
}

type Question = { method?: string; headers?: Record<string, string>; body?: string };

/** Sends a request to the provider; `json` is undefined when the answer is not JSON. */
async function askProvider(url: string, question: Question = {}) {
  const { status, text } = await readProvider(url, question);
  return { status, json: readJson(text) };
}

async function readProvider(url: string, question: Question = {}) {
  const answer = await requestText(new URL(url), { ...BOUNDS, ...question });
  // We asked for none, and inflating one would pass the bounds.
  if (answer.headers["content-encoding"]) throw new Error(`${url} sent a Content-Encoding`);
  return answer;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreachable(cause: unknown): AppError {
  return new AppError("unavailable", "The single sign-on provider is unavailable. Try again shortly.", {
    headers: { "Retry-After": "5" },
    cause,
  });
}
