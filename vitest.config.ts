import { defineConfig } from "vitest/config";

const json = process.env.UNITS_JSON;

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    include: ["lib/**/*.test.ts", "components/**/*.test.{ts,tsx}", "{e2e/fixtures,deploy,tools/release}/*.test.ts"],
    // The developer's .env does not replace what is set: the tests of webhooks are about a service that opened no
    // network.
    env: { WEBHOOK_PRIVATE_NETWORKS: "" },
    // Nothing changes a module's state for others, and loading every module per file took two fifths of the CPU time.
    isolate: false,
    // One processor less by default.
    maxWorkers: "100%",
    // Generated cases take a second, and many on a machine that is busy with more than this.
    testTimeout: 60_000,
    reporters: ["default", ...(json ? ["json"] : [])],
    ...(json && { outputFile: json }),
  },
});

declare module "@vitest/runner" {
  interface TaskMeta {
    /** why the test is skipped where it is, for the summary of `npm test` */
    skipped?: string;
  }
}
