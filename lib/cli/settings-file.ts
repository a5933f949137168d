import { readFile } from "node:fs/promises";
import { findNodeAtLocation, type Node, parseTree } from "jsonc-parser";
import { z } from "zod";
import { definitions } from "@/lib/definitions/schema";
import { environmentUpdate } from "@/lib/environments/schema";
import { type FieldIssue, listIssues, StartError } from "@/lib/errors";
import { checkFields } from "@/lib/json/fields";
import { JsonError, parseMembers, readStoredMembers } from "@/lib/json/json";
import { isObject, RawJson } from "@/lib/json/raw-json";
import { viewerSettings } from "@/lib/viewer-tokens/settings-schema";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A member that a call of the API takes as its body. */
const body = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .preprocess((value, ctx) => {
      if (value instanceof RawJson && value.kind === "object") return readStoredMembers(value.text);
      ctx.addIssue("must be a JSON object");
      return z.NEVER;
    }, schema)
    .optional();

const settingsFile = z.strictObject({
  definitions: body(definitions),
  viewer_settings: body(viewerSettings),
  embed_template: environmentUpdate.shape.embedTemplate,
});
export type SettingsFile = z.infer<typeof settingsFile>;

/**
 * Reads an environment's settings from a file.
 * @throws {StartError} that names each fault with its line
 */
export async function readSettingsFile(file: string): Promise<SettingsFile> {
  const text = await readText(file);
  const members = parse(file, text);
  const { value, issues } = isObject(members)
    ? checkFields(members, settingsFile)
    : { issues: [{ path: [], message: "the file must be a JSON object" }] };
  if (!issues) return value;
  const root = parseTree(text);
  const lines = issues.map((issue) => `${file}:${lineOf(text, root, issue)}: ${listIssues([issue])}\n`);
  throw new StartError(`${lines.join("")}Nothing was changed.`);
}

async function readText(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: Error) => {
    throw new StartError(`Cannot read the file: ${error.message}.`);
  });
  try {
    return utf8.decode(bytes);
  } catch {
    throw new StartError(`${file} is not UTF-8. Nothing was changed.`);
  }
}

function parse(file: string, text: string) {
  try {
    return parseMembers(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { line, column } = error.place;
    throw new StartError(`${file}:${line}:${column}: ${error.reason}\nNothing was changed.`);
  }
}

/** The line of the member at fault, or of the nearest one around a missing member. */
function lineOf(text: string, root: Node | undefined, { path }: FieldIssue): number {
  for (let length = path.length; root && length > 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (node) return text.slice(0, node.offset).split(/\r\n?|\n/).length;
  }
  return 1;
}
