import { z } from "zod";
import { enumTest, itemTypeOf, notInEnum, PROPERTY_TYPES, typeTest, wrongType } from "@/lib/definitions/value-types";
import { answered } from "@/lib/json/answered";
import { elementTexts, memberTexts } from "@/lib/json/exact-json";
import { canonicalScalar } from "@/lib/json/exact-value";
import { nested } from "@/lib/json/nested";
import { exact, RawJson, rawJson, writeJson } from "@/lib/json/raw-json";
import { isSafe, safeText, UNSAFE } from "@/lib/json/visible-text";

const MAX_PROPERTIES = 500;
const MAX_SCHEMAS = 500;
const MAX_DATA_SOURCES = 2_000;
const MAX_ENUM = 100;
/** As many as a body may have, so that the answer to GET can be sent back. */
const MAX_BYTES = 262_144;

/** An object whose members stay text, for the schema of each to parse. */
const exactMembers = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value, ctx) => {
    if (!(value instanceof RawJson)) return value;
    if (value.kind !== "object") return JSON.parse(value.text);
    const members = Object.fromEntries(memberTexts(value.text).map(([name, text]) => [name, rawJson(text)]));
    // zod would drop it silently.
    if (Object.hasOwn(members, "__proto__")) ctx.addIssue("must not have a member __proto__");
    return members;
  }, schema);

const isNull = (value: unknown) => value === null || (value instanceof RawJson && value.text === "null");

/** A value as its text; null for none. */
const exactValue = z
  .preprocess((value) => (isNull(value) ? null : exact(value)), z.any().describe("Any JSON value."))
  .transform((value) => value as RawJson | null);
/** A list with its items as their texts; null for none. */
const exactItems = z.preprocess(
  (value) => {
    if (!(value instanceof RawJson)) return Array.isArray(value) ? value.map(exact) : value;
    return value.kind === "array" ? elementTexts(value.text).map(rawJson) : JSON.parse(value.text);
  },
  z
    .array(
      z.any().transform((value) => value as RawJson),
      "must be a list of values, or null for any value",
    )
    .min(1, "must have at least one value; null allows any")
    .max(MAX_ENUM, `must have at most ${MAX_ENUM} values`)
    .nullable(),
);

const flag = nested(z.boolean("must be true or false")).default(false);
/** A text of several lines. */
const lines = (most: number) =>
  z
    .string("must be a string")
    .max(most, `must have at most ${most} characters`)
    .refine((value) => isSafe(value.replaceAll("\n", " ")), UNSAFE);
const label = nested(safeText.nullable()).default(null);

const isScalar = ({ text: value }: RawJson) => value !== "null" && !/^[{[]/.test(value);

const property = exactMembers(
  z
    .strictObject(
      {
        type: nested(
          z.enum(PROPERTY_TYPES, {
            error: ({ input }) => (input === undefined ? "is required" : `must be one of ${PROPERTY_TYPES.join(", ")}`),
          }),
        ).describe("Numbers are exact, whatever their size. A date is `YYYY-MM-DD`."),
        required: flag.meta({
          description: "Whether a group without a value has a problem. A `default` is a value too.",
          examples: [true],
        }),
        default: exactValue.default(null).meta({
          description: "The value of groups that have none: applied on reading, never stored. Null for none.",
          examples: ["free"],
        }),
        enum: exactItems.default(null).meta({
          description: `The only allowed values, at most ${MAX_ENUM}; for a list, of its items. Null for any.`,
          examples: [["free", "pro"]],
        }),
        description: nested(lines(1_000).nullable())
          .default(null)
          .meta({
            description: "What the property is for, shown to people who edit groups.",
            examples: ["The customer's plan"],
          }),
        overridable: flag.describe("Whether `variables` of a minted viewer token may replace its value."),
        viewer_visible: flag.describe("Whether viewer tokens contain it. Anyone with the page can read it."),
      },
      'must be an object, such as {"type":"string"}',
    )
    .superRefine((given, ctx) => {
      const refuse = (path: PropertyKey[], message: string) => ctx.addIssue({ code: "custom", path, message });
      const { type, default: value, enum: allowed } = given;
      if (allowed && type === "object") return refuse(["enum"], "must be null: an object has no enum");
      const itemType = itemTypeOf(type);
      const isItem = typeTest(itemType);
      const seen = new Set<string>();
      for (const [index, item] of (allowed ?? []).entries()) {
        const spelling = canonicalScalar(item.text);
        if (!isScalar(item)) refuse(["enum", index], "must be a string, a number, true or false");
        else if (!isItem(item.text)) refuse(["enum", index], wrongType(itemType, item.text));
        else if (seen.has(spelling)) refuse(["enum", index], "is already in the list");
        seen.add(spelling);
      }
      if (value === null) return;
      if (!typeTest(type)(value.text)) refuse(["default"], wrongType(type, value.text));
      else if (!enumTest(given)(value.text)) refuse(["default"], notInEnum(given));
    }),
);

const schemaDefinition = exactMembers(
  z.strictObject(
    {
      name: label.meta({ description: "Its name, for people.", examples: ["Orders"] }),
      required: flag.describe("Whether a mapping without it is a problem."),
    },
    "must be an object with name and required",
  ),
);

const dataSource = exactMembers(
  z.strictObject(
    {
      name: label.meta({ description: "Its name, for people.", examples: ["Orders EU"] }),
      provided_id: label.meta({ description: "Your id for it, which mappings may name too.", examples: ["orders-eu"] }),
      schemas: nested(
        z.array(safeText, "must be a list of schema ids").max(MAX_SCHEMAS, `must have at most ${MAX_SCHEMAS} ids`),
      )
        .default([])
        .meta({ description: "The ids of the schemas it may be used for. Empty: any.", examples: [["40"]] }),
    },
    "must be an object with name, provided_id and schemas",
  ),
);

/** An object of definitions by name. */
const named = <Schema extends z.ZodType>(schema: Schema, { most, what }: { most: number; what: string }) =>
  exactMembers(
    z
      .record(safeText, schema, {
        error: ({ code, issues }) =>
          code === "invalid_key" ? String(issues?.[0]?.message) : `must be an object of ${what}`,
      })
      .refine((all) => Object.keys(all).length <= most, `must have at most ${most} members`),
  ).default({});

const EXAMPLE = {
  properties: { plan: { type: "string", required: true, enum: ["free", "pro"], default: "free" } },
  schemas: { 40: { name: "Orders", required: true } },
  data_sources: { 213: { name: "Orders EU", provided_id: "orders-eu", schemas: ["40"] } },
  enforcement: "report",
};

/** The definitions of an environment; an omitted member is reset to its default. */
export const definitions = z
  .strictObject({
    properties: named(property, { most: MAX_PROPERTIES, what: "properties" }).meta({
      description: `The properties of groups by name, at most ${MAX_PROPERTIES}.`,
      examples: [{ plan: { type: "string", required: true, enum: ["free", "pro"] } }],
    }),
    unknown_properties: z
      .enum(["allow", "refuse"], "must be allow or refuse")
      .default("allow")
      .describe("`refuse`: a property that is not defined is a problem."),
    schemas: named(schemaDefinition, { most: MAX_SCHEMAS, what: "schemas" }).meta({
      description: `The schemas that mappings may name, by id, at most ${MAX_SCHEMAS}. Empty: not checked.`,
      examples: [{ 40: { name: "Orders", required: true } }],
    }),
    data_sources: named(dataSource, { most: MAX_DATA_SOURCES, what: "data sources" }).meta({
      description: `The data sources that mappings may name, by id, at most ${MAX_DATA_SOURCES}. Empty: not checked.`,
      examples: [{ 213: { name: "Orders EU", provided_id: "orders-eu", schemas: ["40"] } }],
    }),
    enforcement: z
      .enum(["off", "report", "enforce"], "must be off, report or enforce")
      .default("off")
      .describe(
        "`off`: nothing is checked. `report`: problems are counted and shown. " +
          "`enforce`: writes with problems " +
          "are refused.",
      ),
    creations: z
      .enum(["report", "enforce"], "must be report or enforce")
      .default("report")
      .describe(
        "With `enforce`: whether a creation with problems is refused too. " +
          "By default it is reported, as a GET " +
          "that creates is a page view.",
      ),
  })
  .superRefine((given, ctx) => {
    const refuse = (path: PropertyKey[], message: string) => ctx.addIssue({ code: "custom", path, message });
    if (Object.keys(given.schemas).length > 0) {
      for (const [id, { schemas }] of Object.entries(given.data_sources)) {
        for (const [index, schema] of schemas.entries()) {
          if (!Object.hasOwn(given.schemas, schema))
            refuse(["data_sources", id, "schemas", index], "is not in schemas");
        }
      }
    }
    if (new TextEncoder().encode(writeJson(given)).length > MAX_BYTES) {
      refuse([], "must have at most 256 KiB with all members written out");
    }
  })
  .meta({ "x-example": EXAMPLE });
export type Definitions = z.output<typeof definitions>;
export type PropertyDefinition = Definitions["properties"][string];
export type DataSource = Definitions["data_sources"][string];

/** The data sources by the names that a mapping can use: their ids, then the caller's own ids. */
export function sourcesByName(sources: Definitions["data_sources"]): Map<string, DataSource> {
  const all = Object.entries(sources);
  const own = all.flatMap(([, one]): typeof all => (one.provided_id === null ? [] : [[one.provided_id, one]]));
  return new Map([...own, ...all]);
}

/** The definitions of an environment that has none. */
export const NO_DEFINITIONS: Definitions = definitions.parse({});

const nullableText = z.string().nullable();
const PLAN = { ...EXAMPLE.properties.plan, description: null, overridable: false, viewer_visible: false };
/** An example of definitions in an answer. */
export const ANSWERED_EXAMPLE = {
  definitions: { ...EXAMPLE, properties: { plan: PLAN }, unknown_properties: "allow" },
};

/** The answer with an environment's definitions. */
export const definitionsAnswer = answered({
  version: z
    .int()
    .min(0)
    .meta({ description: "Grows by one with each change; 0 before the first.", examples: [3], "x-example": 1 }),
  definitions: z.strictObject({
    properties: z.record(
      z.string(),
      z.strictObject({
        type: z.enum(PROPERTY_TYPES),
        required: z.boolean(),
        default: z.json(),
        enum: z.array(z.json()).nullable(),
        description: nullableText,
        overridable: z.boolean(),
        viewer_visible: z.boolean(),
      }),
    ),
    unknown_properties: z.enum(["allow", "refuse"]),
    schemas: z.record(z.string(), z.strictObject({ name: nullableText, required: z.boolean() })),
    data_sources: z.record(
      z.string(),
      z.strictObject({ name: nullableText, provided_id: nullableText, schemas: z.array(z.string()) }),
    ),
    enforcement: z.enum(["off", "report", "enforce"]),
    creations: z.enum(["report", "enforce"]),
  }),
});

/** The answer with suggested definitions. */
export const suggestionAnswer = answered({
  groups: z
    .int()
    .meta({ description: "How many groups the suggestions are drawn from, the newest ones.", examples: [1000] }),
  definitions: definitionsAnswer.shape.definitions,
});

/** Problems that a group's properties and mapping can have. */
export const VALUE_FINDING_KINDS = [
  "missing",
  "wrong_type",
  "not_in_enum",
  "unknown_property",
  "missing_schema",
  "unknown_schema",
  "unknown_data_source",
  "data_source_of_other_schema",
] as const;
export type ValueFindingKind = (typeof VALUE_FINDING_KINDS)[number];

/** A problem of a group. */
export interface ValueFinding {
  member: "properties" | "mapping";
  /** of the property, or the id of the schema */
  name: string;
  kind: ValueFindingKind;
  message: string;
}
