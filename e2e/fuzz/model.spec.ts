import fc from "fast-check";
import { PRESETS } from "@/lib/authority/scopes";
import { adminClient, createEnvironment } from "../fixtures/admin-client";
import { type Database, expect, test } from "../fixtures/api";
import { extent, SEED, Tally } from "./extent";
import { type ApiToken, begin, expectSame, type Real, TOKENS } from "./model";
import { sequences } from "./model-commands";

async function open(database: Database): Promise<Real> {
  const slugs = [await createEnvironment(database), await createEnvironment(database)] as const;
  await database.query("UPDATE environment SET tag = 'Customer' WHERE slug = $1", [slugs[1]]);
  const owner = await adminClient(database, "owner", slugs[0]);
  const owners = [owner, owner.in(slugs[1])] as const;
  const tokensOf = async (client: typeof owner) => {
    const made: [string, ApiToken][] = [];
    for (const [name, preset] of Object.entries(TOKENS)) {
      const scopes = PRESETS[preset];
      const { json } = await client.post("api-tokens", { name, scopes, expiresAt: null });
      made.push([name, { id: json.apiToken.id, name, scopes, token: json.token }]);
    }
    return Object.fromEntries(made) as Real["apiTokens"][number];
  };
  const rows = await database.query("SELECT id FROM environment WHERE slug = ANY ($1) ORDER BY id", [slugs]);
  return {
    database,
    owners,
    tags: ["Testing", "Customer"],
    run: "",
    since: "0",
    apiTokens: [await tokensOf(owners[0]), await tokensOf(owners[1])],
    environmentIds: [rows[0].id, rows[1].id],
  };
}

test("after any operations in any order, rows and history match a model of the contract", async ({ database }) => {
  const place = await open(database);
  const tally = new Tally();
  const property = fc.asyncProperty(sequences(tally), async (steps) => {
    const { model, real } = await begin(place);
    await fc.asyncModelRun(() => ({ model, real }), steps);
    await expectSame(model, real);
    tally.add("whole sequences", true);
  });
  const numRuns = extent(300);
  await tally.during(() => fc.assert(property, { seed: SEED, numRuns }));
  // In few sequences every undo may come too late by chance.
  const rare = numRuns < 100 ? [] : ["restore", "revoke an API token"];
  const usual = ["get or create", "update", "merge", "upsert", "batch", "rotate", "delete", "suspend or resume"];
  for (const what of [...usual, ...rare]) {
    const { accepted, refused } = tally.count(what);
    expect(Math.min(accepted, refused), `${what}: ${accepted} accepted, ${refused} refused`).toBeGreaterThan(0);
  }
  const outcomes = numRuns < 100 ? ["created", "changed"] : ["created", "changed", "same", "deleted", "error"];
  for (const outcome of outcomes) {
    expect(tally.count(`row of a batch: ${outcome}`).generated, `rows of batches: ${outcome}`).toBeGreaterThan(0);
  }
});
