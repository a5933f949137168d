import { build } from "esbuild";
import { createGroup } from "../fixtures/api";
import { expect, test } from "../fixtures/browser";

test("the client runs in a browser: it gets, rotates and reports refusals", { tag: "@release" }, async ({
  page,
  stage,
}) => {
  const bundle = await build({
    entryPoints: ["clients/typescript/src/client.ts"],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "userGroups",
  });
  const { token, provided_id } = await createGroup();
  await page.goto("/testing/groups");
  await page.evaluate(`${bundle.outputFiles[0]?.text}; window.userGroups = userGroups;`);
  const seen = await page.evaluate(
    async ({ apiToken, token, user_group_id }) => {
      const { UserGroupsClient, UserGroupsError } = (window as unknown as { userGroups: Module }).userGroups;
      const client = new UserGroupsClient({ baseUrl: location.origin, apiToken });
      const found = await client.getOrCreate({ user_group_id });
      const rotated = await client.rotate(token);
      const error = await client.rotate(token).catch((thrown: unknown) => thrown);
      const isTyped = error instanceof UserGroupsError && error.code;
      return { found: found.user_group.token, rotated: rotated.user_group.token, isTyped };
    },
    { apiToken: stage.tokens.testing, token, user_group_id: provided_id },
  );
  expect(seen).toEqual({ found: token, rotated: expect.stringMatching(/^ugt_/), isTyped: "unknown_token" });
  expect(seen.rotated).not.toBe(token);
});

type Module = typeof import("@/clients/typescript/src/client");
