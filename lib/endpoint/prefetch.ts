import { setTimeout as sleep } from "node:timers/promises";
import { headers } from "next/headers";
import { CLIENT_ADDRESS } from "@/lib/auth/client-address";
import { askOwn } from "@/lib/endpoint/routes";

/** How long a page waits for its prefetch, in milliseconds; after that, the browser fetches itself. */
const PATIENCE_MS = 300;

/** A larger answer would make the page late: the browser fetches it itself. */
const MAX_CHARACTERS = 500_000;

interface Question<T> {
  /** the route's path, without parameters */
  path: string;
  /** slug of the environment; "-" for none */
  environment: string;
  /** a list repeats its parameter */
  query?: Record<string, string | string[]>;
  /** reads the answer as the browser would; undefined leaves it to the browser */
  read?: (text: string) => T | undefined;
}

/**
 * Makes the page's first request on behalf of the browser, so that the page arrives with its data. The route
 * authorises as usual; when it refuses, fails or is slow, nothing is prefetched.
 */
export async function prefetch<T>({ path, environment, query = {}, read = JSON.parse }: Question<T>) {
  const sent = await headers();
  const cookie = sent.get("cookie");
  if (!cookie) return undefined;
  const given = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      [value].flat().flatMap((one) => (one === "" ? [] : [[name, one]])),
    ),
  );
  const asked = askOwn({
    requestId: sent.get("x-request-id") ?? "",
    path,
    parameters: {},
    query: given.size > 0 ? given.toString() : undefined,
    headers: { cookie, "x-environment": environment },
    readBody: async () => new Uint8Array(),
    address: () => sent.get(CLIENT_ADDRESS) ?? "",
  });
  const at = Date.now();
  const answer = await Promise.race([asked, sleep(PATIENCE_MS)]);
  if (answer?.status !== 200 || typeof answer.body !== "string" || answer.body.length > MAX_CHARACTERS)
    return undefined;
  const data = read(answer.body);
  return data === undefined ? undefined : { data, at };
}
