import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { HISTORY_ACTIONS } from "@/lib/audit/actions";

const LIB = path.join(import.meta.dirname, "..");
/** An action in code or SQL; advisory lock keys have the same form. */
const ACTION = /["'`]((?:user_groups?|history|api_token|environment|member|webhook)\.[a-z_]+)["'`]/g;
const OTHER = ["user_groups.erases", "webhook.id", "webhook.test"];

test("the list of actions matches the code", () => {
  const files = readdirSync(LIB, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && file !== "audit/actions.ts",
  );
  const found = files.flatMap((file) =>
    [...readFileSync(path.join(LIB, file), "utf8").matchAll(ACTION)].map(([, action = ""]) => action),
  );
  expect(new Set(found.filter((action) => !OTHER.includes(action)))).toEqual(new Set(HISTORY_ACTIONS));
});
