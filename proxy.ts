import { type NextRequest, NextResponse } from "next/server";
import { methodNotAllowed, PAGE_METHODS } from "@/lib/endpoint/routes";
import { pageHeaders } from "@/lib/http/security-headers";

/** Gives pages the front door's headers, when Next serves the routes alone; no other build includes this file. */
export function proxy(request: NextRequest) {
  if (!PAGE_METHODS.includes(request.method)) {
    const { message, headers } = methodNotAllowed(PAGE_METHODS);
    return new NextResponse(message, { status: 405, headers });
  }
  const { policy, headers } = pageHeaders();
  const asked = new Headers(request.headers);
  asked.set("content-security-policy", policy);
  const response = NextResponse.next({ request: { headers: asked } });
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

export const config = {
  matcher: "/((?!(?:api|_next)/|(?:healthz|readyz|metrics|openapi\\.json)/?$).*)",
};
