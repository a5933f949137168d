import { elementTexts } from "@/lib/json/exact-json";
import { canonicalScalar, isDay, isNumber, isWholeNumber, stringIn } from "@/lib/json/exact-value";
import { excerpt } from "@/lib/json/excerpt";
import type { RawJson } from "@/lib/json/raw-json";

/** The types of list items: singular and plural in words, and a test of a JSON text. */
const ITEMS = {
  string: { one: "a string", many: "strings", isIt: (text: string) => text[0] === '"' },
  integer: { one: "a whole number", many: "whole numbers", isIt: isWholeNumber },
  number: { one: "a number", many: "numbers", isIt: isNumber },
  boolean: { one: "true or false", many: "true and false", isIt: (text: string) => /^(true|false)$/.test(text) },
  date: {
    one: "a date, as in 2026-11-30",
    many: "dates, as in 2026-11-30",
    isIt: (text: string) => isDay(stringIn(text) ?? ""),
  },
};
type ItemType = keyof typeof ITEMS;
const ITEM_TYPES = Object.keys(ITEMS) as ItemType[];

/** The types of properties. */
export const PROPERTY_TYPES = [...ITEM_TYPES, ...listTypes(ITEM_TYPES), "object", "any"] as const;
export type PropertyType = (typeof PROPERTY_TYPES)[number];

/** The types of lists of these. */
export function listTypes<Type extends ItemType>(types: Type[]) {
  return types.map((type) => `${type}[]` as const);
}

export function isListType(type: PropertyType): boolean {
  return type.endsWith("[]");
}

/** The item type of a list type; any other type is returned as it is. */
export function itemTypeOf(type: PropertyType): PropertyType {
  return type.replace("[]", "") as PropertyType;
}

/** Returns a test whether a JSON value, given as text, has the type. Null has only the type `any`. */
export function typeTest(type: PropertyType): (text: string) => boolean {
  if (type === "any") return () => true;
  if (type === "object") return (text) => text[0] === "{";
  const isItem = ITEMS[itemTypeOf(type) as ItemType].isIt;
  return isListType(type) ? (text) => text[0] === "[" && elementTexts(text).every(isItem) : isItem;
}

/** The message that says what a value of the type must be. */
export function mustBe(type: PropertyType): string {
  if (type === "object" || type === "any") return `must be a JSON ${type === "any" ? "value" : type}`;
  const { one, many } = ITEMS[itemTypeOf(type) as ItemType];
  return `must be ${isListType(type) ? `a list of ${many}` : one}`;
}

/** The message for a value of another type. */
export function wrongType(type: PropertyType, text: string): string {
  return `${mustBe(type)}${quotesHint(type, text)}`;
}

/** The most characters of a value in a message. */
export const MAX_SHOWN = 40;

/** The likely mistake: a number in quotes, or a string without quotes. */
function quotesHint(type: PropertyType, text: string): string {
  if (text.length > MAX_SHOWN) return "";
  if (type === "string" && !/^[[{n]/.test(text)) return `: send "${text}" in quotes`;
  const unquoted = stringIn(text) ?? "";
  const isMeant = /^(-?\d+(\.\d+)?|true|false)$/.test(unquoted) && typeTest(type)(unquoted);
  return isMeant ? `: send ${unquoted} without quotes` : "";
}

/** The part of a property's definition that constrains its values. */
interface Values {
  type: PropertyType;
  /** null for any value */
  enum: readonly RawJson[] | null;
}

const MAX_LISTED = 10;

/** The message for a value that is not in the enum. */
export function notInEnum({ type, enum: allowed }: Values): string {
  const values = allowed ?? [];
  const listed = values.slice(0, MAX_LISTED).map(({ text }) => excerpt(stringIn(text) || text, MAX_SHOWN));
  const more = values.length > listed.length ? ` and ${values.length - listed.length} more` : "";
  return `${isListType(type) ? "must have only items that are" : "must be"} one of ${listed.join(", ")}${more}`;
}

/** Returns a test whether a value of the type is in the enum; for a list, whether all its items are. */
export function enumTest({ type, enum: allowed }: Values) {
  if (!allowed) return () => true;
  const texts = new Set(allowed.map(({ text }) => text));
  const values = new Set(allowed.map(({ text }) => canonicalScalar(text)));
  const isIn = (text: string) => texts.has(text) || values.has(canonicalScalar(text));
  return isListType(type) ? (text: string) => elementTexts(text).every(isIn) : isIn;
}
