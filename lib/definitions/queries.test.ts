import { expect, test } from "vitest";
import { rawJson, writeJson } from "@/lib/json/raw-json";
import { parseDefinitions } from "./queries";
import { definitions, NO_DEFINITIONS } from "./schema";

test("definitions are parsed as by their schema, with exact numbers", () => {
  const given = definitions.parse({
    properties: {
      plan: { type: "string", required: true, enum: ["free", "pro"], description: "What they pay for" },
      seats: { type: "integer", default: rawJson("12345678901234567890") },
      regions: { type: "string[]", enum: ["eu", "us"], default: ["eu"] },
      2: { type: "number", viewer_visible: true },
    },
    schemas: { 40: { name: "Orders", required: true } },
    data_sources: { 213: { schemas: ["40"] } },
    enforcement: "enforce",
  });
  for (const one of [given, NO_DEFINITIONS]) expect(parseDefinitions(writeJson(one))).toEqual(one);
});
