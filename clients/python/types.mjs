// Writes src/user_groups/types.py, which git ignores: the types of keywords and answers, from the API's description.
import path from "node:path";
import { ANSWERS, findAnswers, inputs, linesOf, print, store } from "../typescript/openapi.mjs";

/** @typedef {any} Schema */

/** The answer that has another name in TypeScript. @type {Record<string, string>} */
const RENAMED = { ApiTokenValue: "ReplacedApiToken" };

/** Parts of answers that have names in Python only. @type {Record<string, [place: string, comment: string]>} */
const PARTS = {
  Actor: ["listUserGroupHistory.entries[].actor", ""],
  _FoundGroup: ["getOrCreateUserGroup.user_group", ""],
  _UpdatedGroup: ["updateUserGroup.user_group", ""],
  _RotatedGroup: ["rotateUserGroupToken.user_group", ""],
  _TaggedPlace: ["endUserGroupOverlap.user_group", ""],
  _GroupState: ["suspendUserGroup.user_group", ""],
  _ViewingGroup: ["identifyViewer.0.user_group", ""],
  GroupRevocation: ["listRevocations.revocations[].0", ""],
  ViewerRevocation: ["listRevocations.revocations[].1", ""],
  PreviousToken: ["listUserGroups.user_groups[].previous_token.0", ""],
  EventData: ["listEvents.events[].data", ""],
  UsedDay: ["getUsage.0.days[]", ""],
  BatchError: ["batchUserGroups.results[].error", ""],
};

/** Bodies and queries whose optional members are keywords. */
const KEYWORDS =
  /^Group(?:Request|Merge|Patch)$|^ViewerTokenOptions$|Selection$|(?:List|History|Events|Deleted|Usage)Query$/;
/** Those of them where None is as if omitted. */
const WITH_NONE = /Options$|Selection$|Query$/;

/** @type {Record<string, string>} */
const PRIMITIVES = { string: "str", integer: "int", number: "float", boolean: "bool", null: "None" };

/** The client adds the header `ETag` to these. */
const TAGGED = /^(FoundGroup|UpsertedGroup|UpdatedGroup|RotatedGroup|GroupState|RestoredGroup)$/;

const HEAD = `"""The keywords of calls, and the JSON of answers, as the API describes them."""

from __future__ import annotations

import datetime
from typing import Any, Dict, List, Mapping, Optional, Sequence, TypedDict, Union

JsonObject = Dict[str, Any]
`;

const types = findAnswers({ ...ANSWERS, ...PARTS })
  .map(({ name, ...type }) => ({ ...type, name: RENAMED[name] ?? name }))
  .filter(({ schema }) => schema.properties || formsOf(schema)?.[0].properties);
/** The name of a type, by its schema as TypeScript. */
const names = new Map(types.map(({ name, schema }) => [print(schema, ""), name]));
/** @type {string[][]} */
const [classes = [], others = []] = [[], []];
for (const type of types) (isClass(type.schema) ? classes : others).push(textOf(type));
const keywords = inputs.filter(({ name }) => KEYWORDS.test(name)).map(keywordsOf);
// Unlike the members of classes, the others are evaluated when the module is loaded.
const texts = [HEAD, ...keywords, ...classes, ...others];
store(path.join(import.meta.dirname, "src/user_groups/types.py"), texts.join("\n\n"));

/** @param {(typeof inputs)[number]} input */
function keywordsOf({ name, schema: { properties, required = [] }, comment }) {
  const lines = Object.entries(properties).map(([member, part]) => {
    // The place in the feed is an argument, as an id is.
    if (required.includes(member) || member === "after") return "";
    const given = typeOf(part).replaceAll("List[", "Sequence[").replaceAll("JsonObject", "Mapping[str, Any]");
    const type = given.replace("Optional[str]", "Union[datetime.datetime, str, None]");
    const keyword = member === "from" ? "from_" : member;
    return `${commented(part)}    ${keyword}: ${WITH_NONE.test(name) ? `Optional[${type}]` : type}\n`;
  });
  return `class ${name}(TypedDict, total=False):\n    """${linesOf(comment).join("\n    ")}"""\n\n${lines.join("")}`;
}

/** @param {(typeof types)[number]} type */
function textOf({ name, schema, comment }) {
  const about = linesOf(comment);
  if (isNamedUnion(schema)) return `${about.map((line) => `#: ${line}\n`).join("")}${name} = ${typeOf(schema)}\n`;
  const { properties, required } = schema.properties ? schema : merged(formsOf(schema) ?? []);
  const tag = TAGGED.test(name) && { etag: { type: "string", description: "For `if_match`." } };
  const members = Object.entries({ ...properties, ...tag }).map(([member, part]) => ({
    isRequired: [...required, ...Object.keys(tag || {})].includes(member),
    member,
    text: commented(part),
    type: typeOf(part),
  }));
  if (!isClass(schema)) {
    const lines = members.map(({ member, text, type }) => `${text}    "${member}": ${type},\n`);
    return `${name} = TypedDict(\n    "${name}",\n    {\n${lines.join("").replace(/^/gm, "    ").trimEnd()}\n    },\n)\n`;
  }
  const print = (/** @type {boolean} */ isRequired) =>
    members
      .flatMap((one) => (one.isRequired === isRequired ? `${one.text}    ${one.member}: ${one.type}\n` : []))
      .join("");
  const doc = comment && `    """${about.join("\n    ")}"""\n\n`;
  if (members.every(({ isRequired }) => isRequired)) return `class ${name}(TypedDict):\n${doc}${print(true)}`;
  const base = `_${name}Always`;
  return `class ${base}(TypedDict):\n${print(true)}\n\nclass ${name}(${base}, total=False):\n${doc}${print(false)}`;
}

/** A class cannot declare the member `from`. @param {Schema} schema */
function isClass(schema) {
  return !isNamedUnion(schema) && !schema.properties?.from;
}

/** @param {Schema} schema */
function isNamedUnion(schema) {
  return formsOf(schema)?.every((part) => names.has(print(part, "")));
}

/** @param {Schema} schema @returns {Schema[] | undefined} */
function formsOf({ anyOf, oneOf, type }) {
  return anyOf ?? oneOf ?? (Array.isArray(type) ? type.map((one) => ({ type: one })) : undefined);
}

/** The forms of an answer as one: members that not all have are optional. @param {Schema[]} forms @returns {Schema} */
function merged(forms) {
  const members = new Set(forms.flatMap(({ properties }) => Object.keys(properties)));
  return {
    required: [...members].filter((member) => forms.every(({ required }) => required.includes(member))),
    properties: Object.fromEntries(
      [...members].map((member) => {
        const parts = forms.flatMap(({ properties }) => properties[member] ?? []);
        return [member, parts.length === 1 ? parts[0] : { anyOf: parts }];
      }),
    ),
  };
}

/** @param {Schema} schema @returns {string} */
function typeOf(schema) {
  const { type, properties, items, additionalProperties } = schema;
  const [value] = valuesOf(schema);
  if (value !== undefined) return typeof value === "string" ? "str" : typeof value === "boolean" ? "bool" : "int";
  const forms = formsOf(schema);
  if (forms) {
    const texts = new Set(forms.map(typeOf));
    const isOptional = texts.delete("None");
    const text = texts.size > 1 ? `Union[${[...texts].join(", ")}]` : [...texts].join("");
    return isOptional ? `Optional[${text}]` : text;
  }
  if (items) return `List[${typeOf(items)}]`;
  if (Object.keys(properties ?? {}).join() === "type,id,name") return "Actor";
  const parts = Object.values(properties ?? {});
  const isCounts = parts.length > 0 && parts.every((part) => part.type === "integer");
  if (type === "object") {
    if (properties) return names.get(print(schema, "")) ?? (isCounts ? "Dict[str, int]" : "JsonObject");
    return additionalProperties === true ? "JsonObject" : `Dict[str, ${typeOf(additionalProperties)}]`;
  }
  return PRIMITIVES[type] ?? "Any";
}

/** The only values that a schema allows. @param {Schema} schema */
function valuesOf(schema) {
  return schema.const === undefined ? (schema.enum ?? []) : [schema.const];
}

/** @param {Schema} part */
function commented(part) {
  const values = [part, ...(formsOf(part) ?? [])].flatMap(valuesOf).filter((value) => typeof value === "string");
  const list = values.length > 1 ? ` One of ${values.map((value) => `\`${value}\``).join(", ")}.` : "";
  return linesOf(`${part.description ?? ""}${list}`.trim())
    .map((line) => `    #: ${line}\n`)
    .join("");
}
