/** A JSON object or array kept as the text it came in, less the white space between its tokens. */
export class RawJson {
  constructor(
    readonly text: string,
    readonly kind: "object" | "array",
  ) {}
}

/** What a member of a JSON object can be once nested values are kept as text. */
export type ShallowJson = string | number | boolean | null | RawJson;

/** Writes a value as JSON, each {@link RawJson} in it as the text it holds; members that are undefined are left out. */
export function writeJson(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  let text = "";
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${writeJson(member)}`;
  }
  return `{${text}}`;
}
