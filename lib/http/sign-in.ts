import { readBody } from "@/lib/http/next";
import { handler } from "@/lib/http/route";
import { auth } from "@/lib/members/auth";

/**
 * Hands a request to better-auth, which answers everything under /api/auth: sign-in, sign-out, sessions.
 * It would read a body of any size, so the body is taken in here, within the limit of every other route.
 */
export async function signIn(request: Request): Promise<Response> {
  const { url, method, headers } = request;
  try {
    const body = await readBody(request);
    const response = await auth().handler(new Request(url, { method, headers, body: body.length > 0 ? body : null }));
    response.headers.set("Cache-Control", "no-store");
    return response;
  } catch (error) {
    return handler(() => Promise.reject(error))(request);
  }
}
