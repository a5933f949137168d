import fc from "fast-check";
import type { GroupRequest, TokenRotation } from "@/lib/groups/schema";
import { type Mutation, mutate, mutation } from "./mutations";
import { isId, isName } from "./rules";

/** The id of the existing group, and the placeholder for its current token. */
export const THERE = "there";
export const CURRENT_TOKEN = "the-current-token";

/** A generated request to the API. */
export interface GeneratedRequest {
  method: "GET" | "PUT" | "POST";
  path: "/api/user" | "/api/user/get-or-create";
  query: string | undefined;
  /** one character per byte */
  body: string;
  contentType: string | undefined;
  /** its validity: the contract decides valid and invalid ones; the others are not known beforehand */
  kind: "sound" | "wrong" | "mutated" | "of another type";
  mutations: Mutation["name"][];
}

/** A JSON text as tokens, between which white space is allowed. */
type Tokens = readonly string[];
type Members = [name: string, value: Tokens][];

const json = (value: unknown): string => JSON.stringify(value);
const one = (...texts: string[]): fc.Arbitrary<Tokens> => fc.constantFrom(...texts).map((text) => [text]);

const printable = fc.string({ unit: "grapheme", maxLength: 12 });
const string = fc.oneof(
  printable.map(json),
  fc
    .string({ unit: "binary", maxLength: 12 })
    .filter((text) => !/\0|\p{Noncharacter_Code_Point}/u.test(text))
    .map(json),
  fc
    .constantFrom("__proto__", "constructor", "toJSON", "then", "hasOwnProperty", "length", "", "user_group_id")
    .map(json),
  fc.constantFrom('"\\u00e9"', '"\\/"', '"\\ud83d\\ude00"', '"\\b\\f\\n\\r\\t"', '"\\u005f_proto__"', '"a, {b: [c]} "'),
);
const number = fc.oneof(
  fc.constantFrom("-0", "1.10", "1E2", "9007199254740991", "-9007199254740991", "5e-324", "100000e10", "0.1", "1e300"),
  fc.integer().map(String),
  fc.double({ min: -1e15, max: 1e15, noNaN: true }).map(String),
  fc.double({ min: 1e-9, max: 1e6, noNaN: true }).map((double) => double.toPrecision(17)),
);
const list = (items: Tokens[]): Tokens => items.flatMap((item, at) => (at > 0 ? [",", ...item] : item));
const objectOf = (members: [name: string, value: Tokens][]): Tokens => [
  "{",
  ...list(members.map(([name, value]) => [name, ":", ...value])),
  "}",
];

const { object } = fc.letrec<{ value: Tokens; array: Tokens; object: Tokens }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: "json" },
    fc.oneof(string, number, fc.constantFrom("true", "false", "null")).map((token) => [token]),
    tie("array"),
    tie("object"),
  ),
  array: fc.array(tie("value"), { maxLength: 4, depthIdentifier: "json" }).map((items) => ["[", ...list(items), "]"]),
  object: fc
    .uniqueArray(fc.tuple(string, tie("value")), {
      maxLength: 5,
      depthIdentifier: "json",
      selector: ([name]) => JSON.parse(name),
    })
    .map(objectOf),
}));

const WORDS = [
  "null",
  "0",
  "../..",
  "%2e",
  "'; DROP TABLE user_group; --",
  "$1",
  "100%",
  "{{7*7}}",
  "x".repeat(255),
  "😀".repeat(255),
];
const NO_TEXT = one(
  "null",
  '""',
  "42",
  "-1.5",
  "true",
  "[]",
  '["a"]',
  "{}",
  json("x".repeat(256)),
  '"a\\u0007"',
  '"\\u202ea"',
);
const NO_OBJECT = ["[]", '[{"a":1}]', '"{}"', '""', "42", "true", "false", `{"a":"${"x".repeat(65_536)}"}`];

/** A missing member does not compile. */
type Generators<Body> = { [Name in keyof Body]-?: fc.Arbitrary<Tokens> };
const SOUND: Generators<GroupRequest> = {
  user_group_id: fc
    .oneof(fc.constant(THERE), printable.filter(isId), fc.constantFrom(...WORDS))
    .map((id) => [json(id)]),
  name: fc.oneof(printable.filter(isName), fc.constantFrom(...WORDS)).map((name) => [json(name)]),
  mapping: object,
  properties: fc.oneof(object, fc.constant(["null"])),
};
const WRONG: Generators<GroupRequest> = {
  user_group_id: fc.oneof(NO_TEXT, one('" a"', '"a\\u00a0"', '"\\u200b"', '"\\ufeff"')),
  name: fc.oneof(NO_TEXT, one('"  "', '"\\u3000\\u2060"', '"\\u3164"', '"\\ufe0f"')),
  mapping: one("null", ...NO_OBJECT),
  properties: one(...NO_OBJECT),
};
const SOUND_ROTATION: Generators<TokenRotation> = {
  current_token: fc
    .oneof(
      fc.constant(CURRENT_TOKEN),
      printable.filter((text) => text !== ""),
    )
    .map((token) => [json(token)]),
  // An overlap would keep the token valid, which these rules do not model.
  overlap_seconds: one("0"),
};
const WRONG_ROTATION: Generators<TokenRotation> = {
  current_token: one("null", '""', "42", "false", "[]", "{}"),
  overlap_seconds: one("null", '"60"', "-1", "604801", "1.5", "true", "[]"),
};
const UNKNOWN = fc.tuple(
  fc.constantFrom("isAdmin", "propertes", "team_id", "token", "__proto__", ""),
  one("true", "{}", '"x"'),
);

interface Draft {
  kind: "sound" | "wrong";
  members: Members;
}

/** Bodies of one schema: valid ones, and ones with a single error. */
function drafts<Body>(
  sound: Generators<Body>,
  wrong: Generators<Body>,
  required: keyof Body & string,
): fc.Arbitrary<Draft> {
  const names = Object.keys(sound) as (keyof Body & string)[];
  const members: fc.Arbitrary<Members> = fc
    .tuple(
      fc.record(sound as Record<string, fc.Arbitrary<Tokens>>, { requiredKeys: [required] }),
      fc.shuffledSubarray(names, { minLength: names.length }),
    )
    .map(([fields, order]) => order.flatMap((name) => (fields[name] ? [[name, fields[name]]] : [])));
  const without = (from: Members, name: string) => from.filter((member) => member[0] !== name);
  const oneWrong = fc
    .constantFrom(...names)
    .chain((name) => wrong[name].map((value): Members[number] => [name, value]));
  return fc.oneof(
    { weight: 3, arbitrary: members.map((members): Draft => ({ kind: "sound", members })) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(members, fc.oneof({ weight: 4, arbitrary: oneWrong }, { weight: 1, arbitrary: UNKNOWN }))
        .map(([members, bad]): Draft => ({ kind: "wrong", members: [...without(members, bad[0]), bad] })),
    },
    {
      weight: 1,
      arbitrary: members.map((members): Draft => ({ kind: "wrong", members: without(members, required) })),
    },
  );
}

const group = drafts<GroupRequest>(SOUND, WRONG, "user_group_id");
const rotation = drafts<TokenRotation>(SOUND_ROTATION, WRONG_ROTATION, "current_token");

const style = fc.constantFrom("", "", " ", "\n  ", "\r\n\t");
const mutations = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Mutation[]>([]) },
  { weight: 4, arbitrary: mutation.map((one) => [one]) },
  { weight: 1, arbitrary: fc.array(mutation, { minLength: 2, maxLength: 4 }) },
);
const JSON_TYPES = ["application/json", "Application/JSON; charset=UTF-8", 'application/json;charset="utf-8"'];
const OTHER_TYPES = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "application/json; charset=latin1",
  "application/problem+json",
];
const contentType = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(...JSON_TYPES) },
  { weight: 1, arbitrary: fc.constantFrom(undefined, ...OTHER_TYPES) },
);

const withBody = (method: GeneratedRequest["method"], path: GeneratedRequest["path"], draft: fc.Arbitrary<Draft>) =>
  fc
    .tuple(draft, style, mutations, contentType)
    .map(([{ kind, members }, space, changes, contentType]): GeneratedRequest => {
      const text = objectOf(members.map(([name, value]) => [json(name), value])).join(space);
      const isJson = contentType !== undefined && JSON_TYPES.includes(contentType);
      return {
        method,
        path,
        query: undefined,
        contentType,
        body: mutate(Buffer.from(text).toString("latin1"), changes),
        kind: isJson ? (changes.length > 0 ? "mutated" : kind) : "of another type",
        mutations: changes.map(({ name }) => name),
      };
    });

/** The same in query form; characters invalid in a request target are percent-encoded again. */
const inQuery = fc.tuple(group, style, mutations).map(([{ kind, members }, space, changes]): GeneratedRequest => {
  const pairs = members.map(([name, value]) => `${name}=${encodeURIComponent(asQueryText(name, value.join(space)))}`);
  const query = mutate(pairs.join("&"), changes).replace(/[^!-~]|[#"<>']/g, (byte) => `%${hex(byte)}`);
  return {
    method: "GET",
    path: "/api/user",
    query,
    body: "",
    contentType: undefined,
    // 42 is an ordinary string there.
    kind: changes.length > 0 || kind === "wrong" ? "mutated" : kind,
    mutations: changes.map(({ name }) => name),
  };
});

function asQueryText(name: string, text: string): string {
  return name === "user_group_id" || name === "name" ? String(JSON.parse(text)) : text;
}

function hex(byte: string): string {
  return byte.charCodeAt(0).toString(16).padStart(2, "0");
}

/** A request to the API, in any of its five forms. */
export const generatedRequest: fc.Arbitrary<GeneratedRequest> = fc.oneof(
  { weight: 3, arbitrary: withBody("GET", "/api/user", group) },
  { weight: 3, arbitrary: withBody("PUT", "/api/user", group) },
  { weight: 2, arbitrary: withBody("POST", "/api/user", rotation) },
  { weight: 1, arbitrary: withBody("POST", "/api/user/get-or-create", group) },
  { weight: 2, arbitrary: inQuery },
);
