import { type DehydratedState, dehydrate, QueryClient, type QueryKey } from "@tanstack/react-query";
import { headers } from "next/headers";

interface Question {
  /** under which the page's component looks for the answer */
  queryKey: QueryKey;
  /** the route that would be asked */
  get: (request: Request, context: { params: Promise<Record<string, string>> }) => Promise<Response>;
  /** the slug of the environment it is about; "-" where it is about none */
  environment: string;
  query?: Record<string, string>;
  params?: Record<string, string>;
  /** what of the answer the component keeps, if not all */
  pick?: (answer: never) => unknown;
}

/**
 * Asks on behalf of the browser what its page is about to ask, so that the page comes with the answer. The route decides
 * who may know what, as ever; where it refuses or fails there is no answer, and the page asks by itself.
 */
export async function askAhead({ queryKey, get, environment, query = {}, params = {}, pick }: Question) {
  const client = new QueryClient();
  const sent = await headers();
  const cookie = sent.get("cookie");
  if (cookie) {
    const given = Object.entries(query).filter(([, value]) => value !== "");
    const request = new Request(`http://localhost/?${new URLSearchParams(given)}`, {
      headers: { cookie, "x-environment": environment, "x-request-id": sent.get("x-request-id") ?? "" },
    });
    const response = await get(request, { params: Promise.resolve(params) });
    const answer = (await response.json()) as never;
    if (response.ok) client.setQueryData(queryKey, pick ? pick(answer) : answer);
  }
  return dehydrate(client) satisfies DehydratedState;
}
