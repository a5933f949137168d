import path from "node:path";

/** @type {import("next").NextConfig} */
const config = {
  typescript: { ignoreBuildErrors: true },
  // Turbopack also looks in its root, where instrumentation.ts and proxy.ts are those of the service.
  pageExtensions: ["bench.ts"],
  // Modules of ours that it uses are outside its folder.
  turbopack: { root: path.resolve(import.meta.dirname, "../..") },
};

export default config;
