/** A JSON object or array kept as the text it came in, less the white space between its tokens. */
export class RawJson {
  constructor(
    readonly text: string,
    readonly kind: "object" | "array",
  ) {}
}

/** What a member of a JSON object can be once nested values are kept as text. */
export type ShallowJson = string | number | boolean | null | RawJson;

/** Names that are written as they stand, as those of our answers are: asking JSON.stringify for each costs more than all else. */
const PLAIN_NAME = /^\w+$/;

/** Writes a value as JSON, each {@link RawJson} in it as the text it holds; members that are undefined are left out. */
export function writeJson(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  let text = "";
  for (const name of Object.keys(value)) {
    const member = value[name as keyof typeof value] as unknown;
    if (member === undefined) continue;
    text += `${text === "" ? "" : ","}${PLAIN_NAME.test(name) ? `"${name}"` : JSON.stringify(name)}:${writeJson(member)}`;
  }
  return `{${text}}`;
}
