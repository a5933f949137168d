import { setTimeout as sleep } from "node:timers/promises";
import { headers } from "next/headers";

/** How long a page waits for its answer, in milliseconds: then it shows what it has, and asks by itself. */
const PATIENCE_MS = 300;

interface Question {
  /** the route that would be asked */
  get: (request: Request, context: { params: Promise<Record<string, string>> }) => Promise<Response>;
  /** the slug of the environment it is about; "-" where it is about none */
  environment: string;
  query?: Record<string, string>;
  params?: Record<string, string>;
}

/**
 * Asks on behalf of the browser what its page is about to ask, so that the page comes with the answer. The route decides
 * who may know what, as ever; where it refuses, fails or is slow there is no answer.
 */
export async function askAhead<T>({ get, environment, query = {}, params = {} }: Question) {
  const sent = await headers();
  const [cookie, requestId] = [sent.get("cookie"), sent.get("x-request-id")];
  if (!cookie) return undefined;
  const given = Object.entries(query).filter(([, value]) => value !== "");
  const request = new Request(`http://localhost/?${new URLSearchParams(given)}`, {
    headers: { cookie, "x-environment": environment, ...(requestId && { "x-request-id": requestId }) },
  });
  const at = Date.now();
  const response = await Promise.race([get(request, { params: Promise.resolve(params) }), sleep(PATIENCE_MS)]);
  return response?.ok ? { data: (await response.json()) as T, at } : undefined;
}
