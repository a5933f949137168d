import { expect, test } from "vitest";
import { parseDefinitions } from "@/components/definitions/guides";
import { definitions, NO_DEFINITIONS } from "@/lib/definitions/schema";
import { rawJson, writeJson } from "@/lib/json/raw-json";

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
  for (const one of [given, NO_DEFINITIONS]) {
    expect(parseDefinitions({ version: 1, text: writeJson(one), enforcement: one.enforcement })).toEqual(one);
  }
});
