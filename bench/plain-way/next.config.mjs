import path from "node:path";

/** @type {import("next").NextConfig} */
const config = {
  typescript: { ignoreBuildErrors: true },
  // Modules of ours that it uses are outside its folder.
  turbopack: { root: path.resolve(import.meta.dirname, "../..") },
};

export default config;
