import { authorizationCodeRequest, type OAuth2Tokens } from "better-auth/oauth2";
import { z } from "zod";
import { wordsOf } from "@/lib/auth/log-words";
import type { OidcReason } from "@/lib/auth/oidc-reason";
import { OidcRefusal, signInAttempt } from "@/lib/auth/sign-in-attempt";
import { anyJson } from "@/lib/json/any-json";
import { requestText } from "@/lib/outgoing/request-text";
import { log } from "@/lib/telemetry/log";

/** Bounds of each response of the single sign-on provider. */
const BOUNDS = { maxBytes: 262_144, timeoutMs: 3_000 };
/** For tokens and userinfo: the provider may be cold and read from a directory. */
const PATIENT = { timeoutMs: 10_000 };

const METHODS = ["client_secret_basic", "client_secret_post"] as const;
type Method = (typeof METHODS)[number];

/** The default of `token_endpoint_auth_methods_supported` (OpenID Connect Discovery 1.0, 3). */
const DEFAULT: readonly string[] = ["client_secret_basic"];

/** Error codes of a token endpoint (RFC 6749, 5.2). */
const REASONS = new Map<string, OidcReason>([
  ["invalid_client", "client_refused"],
  ["unauthorized_client", "client_refused"],
  ["invalid_grant", "code_refused"],
]);

/** RFC 6749, 5.1 and 5.2. */
const granted = z.object({ access_token: z.string().optional(), id_token: z.string().optional() });
const refused = z.object({ error: z.string().optional(), error_description: z.string().optional() }).catch({});

interface Exchange {
  /** `token_endpoint_auth_methods_supported` */
  methods: readonly string[] | undefined;
  tokenEndpoint: string;
  code: string;
  codeVerifier?: string | undefined;
  redirectURI: string;
  options: { clientId: string; clientSecret: string };
}

type Question = { method?: string; headers?: Record<string, string>; body?: string; timeoutMs?: number };

/** The method by which this process last got tokens. */
let lastWorked: Method | undefined;

/**
 * Exchanges an authorization code for tokens.
 * @throws {Error} with words for the log; {@link signInAttempt} then has the reason for the sign-in page, if any
 */
export async function exchangeCode({ methods = DEFAULT, ...call }: Exchange): Promise<OAuth2Tokens> {
  try {
    const ours = methods.filter((method): method is Method => METHODS.some((one) => one === method));
    const isLast = (method: Method) => Number(method === lastWorked);
    return await exchangeBy(
      ours.sort((one, other) => isLast(other) - isLast(one)),
      call,
    );
  } catch (error) {
    if (error instanceof OidcRefusal) signInAttempt().reason = error.reason;
    throw new Error(wordsOf(error, secretsOf(call)));
  }
}

type Call = Omit<Exchange, "methods">;
const secretsOf = ({ code, codeVerifier, options }: Call) => [code, codeVerifier, options.clientSecret];

/** Tries these methods in turn: a provider lists all that it supports, but a client may be registered for only one. */
async function exchangeBy([method, ...others]: Method[], call: Call): Promise<OAuth2Tokens> {
  if (!method) throw new OidcRefusal("no_client_auth", `the token endpoint takes neither ${METHODS.join(" nor ")}`);
  try {
    const tokens = await exchange(method, call);
    lastWorked = method;
    return tokens;
  } catch (error) {
    if (others.length === 0 || !(error instanceof OidcRefusal) || error.reason !== "client_refused") throw error;
    log().warn({ method, reason: wordsOf(error, secretsOf(call)) }, "the provider refused this client authentication");
    return exchangeBy(others, call).catch((later: unknown) => {
      // The first refusal has spent the code.
      const isSpent = later instanceof OidcRefusal && later.reason === "code_refused";
      throw isSpent ? new OidcRefusal(error.reason, later.message) : later;
    });
  }
}

async function exchange(method: Method, call: Call): Promise<OAuth2Tokens> {
  const { body, headers } = await authorizationCodeRequest({ ...call, tokenEndpointAuth: { method } });
  const sent = { method: "POST", headers, body: String(body), ...PATIENT };
  const { status, json } = await askProvider(call.tokenEndpoint, sent).catch((cause: unknown) => {
    throw new OidcRefusal("provider_unavailable", "the token endpoint did not answer", { cause });
  });
  const tokens = granted.safeParse(json);
  if (status === 200 && tokens.success) {
    return { accessToken: tokens.data.access_token, idToken: tokens.data.id_token };
  }
  const { error, error_description } = refused.parse(json);
  const reason = status === 401 ? "client_refused" : REASONS.get(error ?? "");
  const words = wordsOf({ status, error, error_description });
  throw reason ? new OidcRefusal(reason, words) : new Error(words);
}

const userInfo = z.looseObject({ sub: z.string() });

/**
 * Fetches the claims that an ID token omits; none where the provider has no userinfo endpoint.
 * @throws {OidcRefusal} when the answer is about another person (OpenID Connect Core 1.0, 5.3.2)
 */
export async function readUserInfo(
  endpoint: string | undefined,
  accessToken: string | undefined,
  sub: string,
): Promise<Record<string, unknown>> {
  if (!endpoint || !accessToken) return {};
  const headers = { Authorization: `Bearer ${accessToken}` };
  const { status, json } = await askProvider(endpoint, { headers, ...PATIENT }).catch((cause: unknown) => {
    throw new OidcRefusal("userinfo", "the userinfo endpoint did not answer", { cause });
  });
  const said = userInfo.safeParse(json);
  if (status !== 200 || said.data?.sub !== sub)
    throw new OidcRefusal("userinfo", 'the userinfo answer does not have the "sub" of the ID token');
  return said.data;
}

/**
 * Sends a request to the provider; `json` is undefined when the response is not JSON.
 * @throws {Error} when the connection fails, or the response exceeds a bound
 */
export async function askProvider(url: string, question: Question = {}) {
  const { status, text } = await readProvider(url, question);
  return { status, json: anyJson(text) };
}

/**
 * Sends a request to the provider.
 * @throws {Error} as {@link askProvider}
 */
export async function readProvider(url: string, question: Question = {}) {
  const answer = await requestText(new URL(url), { ...BOUNDS, ...question });
  // We asked for none, and inflating one would pass the bounds.
  if (answer.headers["content-encoding"]) throw new Error(`${url} sent a Content-Encoding`);
  return answer;
}
