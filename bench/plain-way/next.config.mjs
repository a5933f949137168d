import path from "node:path";

/** @type {import("next").NextConfig} */
const config = {
  typescript: { ignoreBuildErrors: true },
  // The modules of ours that it uses lie outside of its folder.
  turbopack: { root: path.resolve(import.meta.dirname, "../..") },
};

export default config;
