/**
 * Whether Next alone serves the routes too, without the front door: docs/next-alone.md. Then it finds the files in `.ts`: the routes,
 * instrumentation.ts, proxy.ts.
 */
const isAlone = process.env.NEXT_ALONE === "true";

/** @type {import("next").NextConfig} */
const config = {
  pageExtensions: isAlone ? ["tsx", "ts"] : ["tsx"],
  // Compressed, an answer that holds a token tells of it by its length (BREACH).
  compress: !isAlone,
  // They need little, and not each of them is asked for.
  experimental: { preloadEntriesOnStart: false },
  poweredByHeader: false,
  skipTrailingSlashRedirect: true,
  images: { unoptimized: true },
  // `npm run check` holds the types, of the tests as well; a start has no need to.
  typescript: { ignoreBuildErrors: true },
};

export default config;
