import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "e2e",
  globalSetup: "./e2e/fixtures/global-setup.ts",
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  workers: 3,
  timeout: 90_000,
  // For machines that are busy with more than this.
  expect: { timeout: 20_000 },
  // Three workers leave a small machine no time to spare: a test that is late at its first try, and passes at its second, is
  // listed as flaky. Those in which one failure is one too many have no second: the drill, the races, generated requests.
  reporter: [["list"], ["json", { outputFile: "test-results/e2e.json" }]],
  projects: [
    // Each of these starts and stops processes of its own: two at a time, so that none starves the rest. First, as the
    // third worker has what follows to do meanwhile.
    { name: "faults", testDir: "e2e/faults", fullyParallel: false, workers: 2, timeout: 180_000, retries: 1 },
    { name: "api", testDir: "e2e/api", retries: 1 },
    { name: "ui", testDir: "e2e/ui", retries: 1 },
    // A tenth of what `npm run test:fuzz` does.
    { name: "fuzz", testDir: "e2e/fuzz", timeout: 480_000 },
  ],
});
