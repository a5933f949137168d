import { defineConfig } from "vitest/config";

const json = process.env.UNITS_JSON;

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    include: ["lib/**/*.test.ts", "components/**/*.test.{ts,tsx}", "e2e/fixtures/*.test.ts"],
    reporters: ["default", ...(json ? ["json"] : [])],
    ...(json && { outputFile: json }),
  },
});
