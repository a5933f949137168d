import { setTimeout as sleep } from "node:timers/promises";
import { headers } from "next/headers";
import { CLIENT_ADDRESS } from "@/lib/auth/client-address";
import { askOwn } from "@/lib/endpoint/routes";

/** How long a page waits for its answer, in milliseconds: then it shows what it has, and asks by itself. */
const PATIENCE_MS = 300;

interface Question {
  /** of the route that would be asked, as it is spelt */
  path: string;
  parameters?: Record<string, string>;
  /** the slug of the environment it is about; "-" where it is about none */
  environment: string;
  query?: Record<string, string>;
}

/**
 * Asks on behalf of the browser what its page is about to ask, so that the page comes with the answer. The route decides
 * who may know what, as ever; where it refuses, fails or is slow there is no answer.
 */
export async function prefetch<T>({ path, parameters = {}, environment, query = {} }: Question) {
  const sent = await headers();
  const cookie = sent.get("cookie");
  if (!cookie) return undefined;
  const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ""));
  const asked = askOwn({
    requestId: sent.get("x-request-id") ?? "",
    path,
    parameters,
    query: given.size > 0 ? given.toString() : undefined,
    headers: { cookie, "x-environment": environment },
    readBody: async () => new Uint8Array(),
    address: () => sent.get(CLIENT_ADDRESS) ?? "",
  });
  const at = Date.now();
  const answer = await Promise.race([asked, sleep(PATIENCE_MS)]);
  if (answer?.status !== 200 || typeof answer.body !== "string") return undefined;
  return { data: JSON.parse(answer.body) as T, at };
}
