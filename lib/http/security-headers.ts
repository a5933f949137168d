import { randomBytes } from "node:crypto";
import { env } from "@/lib/config/env";

/**
 * Headers of an answer that may contain a page, with the policy from which Next reads the nonce of its scripts. It
 * allows only scripts with this answer's nonce and the scripts they load, nothing inline, and no framing (CSP level 3;
 * OWASP secure headers).
 */
export function pageHeaders() {
  const nonce = randomBytes(16).toString("base64");
  // Next's development server evaluates code and uses a websocket.
  const dev = env().NODE_ENV === "development";
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'${dev ? " 'unsafe-eval'" : ""}`,
    dev ? "style-src 'self' 'unsafe-inline'" : `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${dev ? " ws:" : ""}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
  return {
    policy,
    headers: {
      "Content-Security-Policy": policy,
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "same-origin",
      "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Resource-Policy": "same-origin",
    },
  };
}
