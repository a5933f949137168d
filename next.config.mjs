import { existsSync } from "node:fs";
import { PHASE_PRODUCTION_SERVER } from "next/constants.js";

// Builds send no telemetry.
process.env.NEXT_TELEMETRY_DISABLED ??= "1";

/**
 * Whether Next alone serves the routes too, without the front door: docs/next-alone.md. Then it finds the files in
 * `.ts`: the routes, instrumentation.ts, proxy.ts.
 */
const isAlone = process.env.NEXT_ALONE === "true";
/** What only a build with NEXT_ALONE has. */
const BUILT_ALONE = ".next/server/instrumentation.js";

const NOTHING_ALLOWED = [
  { key: "Content-Security-Policy", value: "default-src 'none'; frame-ancestors 'none'" },
  { key: "X-Content-Type-Options", value: "nosniff" },
];

/** @type {import("next").NextConfig} */
const config = {
  // The front door sets the headers of pages. Next alone has proxy.ts for that, which leaves out /api; a 404 there is a
  // page.
  ...(isAlone && { headers: async () => [{ source: "/api/:path*", headers: NOTHING_ALLOWED }] }),
  pageExtensions: isAlone ? ["tsx", "ts"] : ["tsx"],
  // Compressed, an answer that holds a token tells of it by its length (BREACH).
  compress: !isAlone,
  // They need little, and not each of them is asked for.
  experimental: {
    preloadEntriesOnStart: false,
    // Next alone keeps the body of a request for a page while proxy.ts runs, 10 MB of it by default.
    proxyClientMaxBodySize: "256kb",
  },
  // It has the same functions: with both, the browser would load them twice.
  turbopack: { resolveAlias: { "nuqs/server": { browser: "nuqs" } } },
  poweredByHeader: false,
  skipTrailingSlashRedirect: true,
  images: { unoptimized: true },
  // `npm run check` holds the types, of the tests as well; a start has no need to.
  typescript: { ignoreBuildErrors: true },
};

/**
 * @param {string} phase
 * @throws when Next is started alone on a build that was made for the front door
 */
export default function configure(phase) {
  if (isAlone && phase === PHASE_PRODUCTION_SERVER && !existsSync(BUILT_ALONE)) {
    throw new Error("This build was made without NEXT_ALONE=true. Set it and run `npx next build` again.");
  }
  return config;
}
