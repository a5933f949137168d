/** @type {import("next").NextConfig} */
const config = {
  // Pages alone: the front door answers the routes itself.
  pageExtensions: ["tsx"],
  // They need little, and not each of them is asked for.
  experimental: { preloadEntriesOnStart: false },
  poweredByHeader: false,
  skipTrailingSlashRedirect: true,
  images: { unoptimized: true },
  // `npm run check` holds the types, of the tests as well; a start has no need to.
  typescript: { ignoreBuildErrors: true },
};

export default config;
