/** A JSON value kept as its original text, without white space between tokens. */
export class RawJson {
  constructor(
    readonly text: string,
    readonly kind: "object" | "array" | "scalar",
  ) {}
}

/** Wraps the text of any JSON value. */
export function rawJson(text: string): RawJson {
  return new RawJson(text, text[0] === "{" ? "object" : text[0] === "[" ? "array" : "scalar");
}

/** A value as {@link RawJson}, unless it is one already. */
export function exact(value: unknown): RawJson {
  return value instanceof RawJson ? value : rawJson(JSON.stringify(value));
}

/** The value of a JSON object's member, with nested values kept as text. */
export type ShallowJson = string | number | boolean | null | RawJson;

/** Whether a parsed value is an object, whose members are parsed: not a list, text, or any other value. */
export function isObject(value: Record<string, ShallowJson> | ShallowJson): value is Record<string, ShallowJson> {
  return typeof value === "object" && value !== null && !(value instanceof RawJson);
}

/**
 * Names written without escaping, such as those of our answers: JSON.stringify on each costs more than everything else.
 */
const PLAIN_NAME = /^\w+$/;

/** Writes a value as JSON.stringify does, but with each {@link RawJson} as its text. */
export function writeJson(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(",")}]`;
  if (typeof value !== "object" || value === null || value instanceof Date) return JSON.stringify(value);
  let text = "";
  for (const name of Object.keys(value)) {
    const member = value[name as keyof typeof value] as unknown;
    if (member === undefined) continue;
    const key = PLAIN_NAME.test(name) ? `"${name}"` : JSON.stringify(name);
    text += `${text === "" ? "" : ","}${key}:${writeJson(member)}`;
  }
  return `{${text}}`;
}
