import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { callersPath, OPERATOR, runCommand } from "@/lib/cli/command";
import { findEnvironment } from "@/lib/environments/service";
import { StartError } from "@/lib/errors";
import type { Difference } from "@/lib/json/differences";
import { formatJson } from "@/lib/json/format";
import { writeJson } from "@/lib/json/raw-json";
import { parseSettings } from "@/lib/settings/input";
import { serializeSettings } from "@/lib/settings/serialize";
import { applySettings, readSettings } from "@/lib/settings/service";

const USAGE = `Usage:
  ./user-groups settings export [--environment testing] > FILE
  ./user-groups settings apply FILE [--environment testing] [--dry-run]
The settings of an environment as one JSON document: definitions, viewer_tokens, templates, allowed_origins,
embed_template and webhooks, without secrets. apply replaces each part that the file names, all or nothing; other
parts stay. Prints a line for each difference, and the secrets of new webhooks, which cannot be shown again. --dry-run
changes nothing.`;

const PLAIN_NAME = /^[\w-]+$/;
const LONGEST_VALUE = 300;
/** How much of a long value to show before the first difference. */
const CONTEXT = 40;

await runCommand({
  usage: USAGE,
  parse() {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { environment: { type: "string", default: "testing" }, "dry-run": { type: "boolean" } },
    });
    const [verb, file, ...more] = positionals;
    const { environment, "dry-run": isDryRun = false } = values;
    const unexpected = verb === "export" ? file : more[0];
    if (unexpected !== undefined) throw new StartError(`Unexpected argument "${unexpected}".`);
    if (verb === "export") return () => exportSettings(environment);
    if (verb !== "apply") throw new StartError("Give export or apply.");
    if (!file) throw new StartError("Give the FILE with the settings.");
    return () => applyFile(callersPath(file), environment, isDryRun);
  },
});

async function exportSettings(slug: string): Promise<string> {
  const { texts } = await readSettings((await findEnvironment(slug)).id);
  return `${formatJson(writeJson(serializeSettings(texts)))}\n`;
}

async function applyFile(file: string, slug: string, isDryRun: boolean): Promise<string> {
  const bytes = await readFile(file).catch((error: Error) => {
    throw new StartError(`Cannot read the file: ${error.message}.`);
  });
  const wanted = { document: parseSettings(bytes, file), isDryRun };
  const { changes, webhooks } = await applySettings({ ...OPERATOR, environment: await findEnvironment(slug) }, wanted);
  if (changes.length === 0) return "Nothing to change.\n";
  const count = `${changes.length} ${changes.length === 1 ? "difference" : "differences"}`;
  const lines = [
    ...changes.map(describe),
    `${slug}: ${count}. ${isDryRun ? "Nothing was changed." : "Applied."}`,
    ...webhooks.map(({ url, secret }) => `Secret of the webhook to ${url}: ${secret}`),
  ];
  return lines.map((line) => `${escapeControls(line)}\n`).join("");
}

/** A difference as one line. */
function describe({ path: names, before, after }: Difference): string {
  const place = names.map((name) => (PLAIN_NAME.test(name) ? name : JSON.stringify(name))).join(".");
  const what =
    after === undefined
      ? `removed ${excerpt(before)}`
      : before === undefined
        ? `added ${excerpt(after)}`
        : `${excerpt(before, after)} → ${excerpt(after, before)}`;
  return `${place}: ${what}`;
}

/** A value's text; for a long one, the part where it begins to differ from `other`. */
function excerpt(text = "", other = ""): string {
  if (text.length <= LONGEST_VALUE) return text;
  let same = 0;
  while (same < text.length && text[same] === other[same]) same++;
  const start = Math.max(0, same - CONTEXT);
  const end = start + LONGEST_VALUE;
  return `${start > 0 ? "…" : ""}${text.slice(start, end).toWellFormed()}${end < text.length ? "…" : ""}`;
}

/** Keeps stored text from steering the terminal. */
function escapeControls(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
