import { auth } from "@/lib/members/auth";

/** Hands a request to better-auth, which answers everything under /api/auth: sign-in, sign-out, second factor, sessions. */
export async function signIn(request: Request): Promise<Response> {
  const response = await auth().handler(request);
  response.headers.set("Cache-Control", "no-store");
  return response;
}
