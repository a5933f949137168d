import { defineConfig } from "@playwright/test";

/** Files that `npm test` leaves to `npm run test:release`; single tests elsewhere are tagged for it. */
const RELEASE_FILES = [
  "api/{call-programs,clients,generated-clients,guides,oidc-exchange,oidc-providers,runtimes,snippets,verify-snippets}",
  "faults/{backup,behind-nginx,client-address,clock,command-links,connections,container,drill*}",
  "faults/{embedded,embedded-backup,events-command,failover,feed,findings,fresh-clone,hot-updates,imports}",
  "faults/{large-migrations,last-environment,list-plans,log,memory,next-alone,no-browser,old-node,overlap}",
  "faults/{pending-lists,pgbackrest,postgres-15,processes,prometheus,purges,release,second-factor-keys}",
  "faults/{session-settings,two-instances,upgrade,upgrade-from-release,verify}",
  "site/{install-lines,site}",
  "ui/{accessibility-shell,accessibility-states,api-tokens,call-snippets,definitions-group,dialogs,find-by-token}",
  "ui/{first-environment,offline-actions,once-only,overlap,settings,single-sign-on}",
].map((name) => `**/e2e/${name}.spec.ts`);
const RELEASE_TAG = /@release/;
/** Their tests for a release wait for minutes to pass, and hardly use a processor: they have their own worker. */
const WAITING_FILES = [
  "api/{api-token-expiry,api-token-networks,group-delete,probe,sign-in-history}",
  "faults/{database-away,limits,use,viewer-tokens,webhook-receivers}",
  "ui/{demo,embed-example,mount-embed,webhooks}",
].map((name) => `**/e2e/${name}.spec.ts`);

const always = { testIgnore: RELEASE_FILES, grepInvert: RELEASE_TAG };
// They start and stop processes of their own, and take longer.
const own = { fullyParallel: false, timeout: 180_000 };

export default defineConfig({
  testDir: "e2e",
  globalSetup: "./e2e/fixtures/global-setup.ts",
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  workers: 3,
  // A busy machine can fail a test once: its second run decides, and the report calls it flaky.
  retries: process.env.CI ? 1 : 0,
  timeout: 90_000,
  // For machines that are busy with more than this.
  expect: { timeout: 7_000 },
  reporter: [["list"], ["json", { outputFile: "test-results/e2e.json" }]],
  projects: [
    // `npm test`
    { name: "faults", testDir: "e2e/faults", ...always, ...own },
    { name: "api", testDir: "e2e/api", ...always },
    { name: "ui", testDir: "e2e/ui", ...always },
    // `npm run test:release`
    // The contract on Next alone, which treats other methods and repeated headers in its own way (docs/next-alone.md).
    {
      name: "next-alone",
      testMatch: "**/e2e/api/{authorization,concurrency,contract,environment-wall,ids,json,viewer}.spec.ts",
      grepInvert: /published DELETE sample|other methods|two headers/,
      // Starts first: alone at the end, its single worker would leave the others idle.
      workers: 1,
      fullyParallel: false,
    },
    { name: "waiting", testMatch: WAITING_FILES, grep: RELEASE_TAG, ...own, workers: 1 },
    { name: "release", testMatch: RELEASE_FILES, ...own, workers: 4 },
    {
      name: "tagged",
      testMatch: "**/*.spec.ts",
      testIgnore: [...RELEASE_FILES, ...WAITING_FILES],
      grep: RELEASE_TAG,
      ...own,
      workers: 4,
    },
    // `npm run test:ha`
    { name: "ha", testDir: "e2e/ha", ...own, timeout: 400_000 },
    // A tenth of what it does with LONG_TESTS.
    { name: "fuzz", testDir: "e2e/fuzz", timeout: 480_000 },
  ],
});
