import { parseArgs } from "node:util";
import type { Environment } from "@/lib/auth/member-caller";
import { callersPath, OPERATOR, runCommand } from "@/lib/cli/command";
import { readSettingsFile, type SettingsFile } from "@/lib/cli/settings-file";
import { changeDefinitions, readDefinitions } from "@/lib/definitions/service";
import { findEnvironment, listEnvironmentDetails, updateEnvironment } from "@/lib/environments/service";
import { AppError, StartError } from "@/lib/errors";
import { type Difference, differencesOf } from "@/lib/json/differences";
import { writeJson } from "@/lib/json/raw-json";
import { changeViewerSettings, readViewerSettings } from "@/lib/viewer-tokens/settings";

const USAGE = `Usage:
  ./user-groups apply FILE [--environment testing] [--dry-run]
Makes the settings of an environment those of a JSON file: definitions (as PUT /api/definitions takes them), viewer_settings (as
PUT /api/viewer-settings) and embed_template (a text or null). What the file does not name stays as it is.
Prints a line for each difference. --dry-run changes nothing. Exits with 1, and changes nothing, if the file is invalid.`;

const PLAIN_NAME = /^[\w-]+$/;
const LONGEST_VALUE = 300;
/** How much of a long value to show before the first difference. */
const CONTEXT = 40;

/** Settings that are changed together. */
interface Part {
  name: keyof SettingsFile;
  /** as JSON */
  before: string;
  after: string;
  apply(): Promise<unknown>;
}

await runCommand({
  usage: USAGE,
  parse() {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { environment: { type: "string", default: "testing" }, "dry-run": { type: "boolean", default: false } },
    });
    const [file, ...more] = positionals;
    if (!file) throw new StartError("Give the FILE with the settings.");
    if (more.length > 0) throw new StartError(`Unexpected argument "${more[0]}".`);
    return () => applyFile(callersPath(file), values.environment, values["dry-run"]);
  },
});

async function applyFile(file: string, slug: string, isDryRun: boolean): Promise<string> {
  const settings = await readSettingsFile(file);
  const compared = (await partsOf(settings, await findEnvironment(slug))).map((part) => ({
    ...part,
    differences: differencesOf(part.before, part.after, [part.name]),
  }));
  const changed = compared.filter(({ differences }) => differences.length > 0);
  const lines = changed.flatMap(({ differences }) => differences.map(describe));
  if (lines.length === 0) return "Nothing to change.\n";
  if (!isDryRun) await applyAll(changed);
  const count = `${lines.length} ${lines.length === 1 ? "difference" : "differences"}`;
  return `${lines.join("")}${slug}: ${count}. ${isDryRun ? "Nothing was changed." : "Applied."}\n`;
}

/** What the file names, in the order to change it: definitions first, as only they can be refused as outdated. */
async function partsOf(settings: SettingsFile, environment: Environment): Promise<Part[]> {
  const { definitions, viewer_settings: viewers, embed_template: embedTemplate } = settings;
  const caller = { ...OPERATOR, environment };
  const parts: Part[] = [];
  if (definitions) {
    const { version, document } = await readDefinitions(environment.id);
    parts.push({
      ...{ name: "definitions", before: writeJson(document), after: writeJson(definitions) },
      apply: () => changeDefinitions({ caller, input: definitions, tags: [`d-${version}`] }).catch(explainStale),
    });
  }
  if (viewers) {
    parts.push({
      ...{ name: "viewer_settings", before: writeJson(await readViewerSettings(caller)), after: writeJson(viewers) },
      apply: () => changeViewerSettings({ caller, input: viewers }),
    });
  }
  if (embedTemplate !== undefined) {
    const { slug } = environment;
    const before = (await listEnvironmentDetails()).find((one) => one.slug === slug)?.embed_template ?? null;
    parts.push({
      ...{ name: "embed_template", before: writeJson(before), after: writeJson(embedTemplate) },
      apply: () => updateEnvironment({ slug, embedTemplate }, OPERATOR),
    });
  }
  return parts;
}

async function applyAll(parts: Part[]) {
  for (const [index, { apply }] of parts.entries()) {
    await apply().catch((error: unknown) => {
      if (index > 0) process.stderr.write(progressOf(parts, index));
      throw error;
    });
  }
}

/** Which parts are applied after one failed. */
function progressOf(parts: Part[], failed: number): string {
  const named = (some: Part[]) => some.map(({ name }) => name).join(", ");
  const untried = named(parts.slice(failed + 1));
  const [done, one] = [named(parts.slice(0, failed)), named(parts.slice(failed, failed + 1))];
  return `Applied: ${done}. Failed: ${one}.${untried && ` Not tried: ${untried}.`} Run the command again for the rest.\n`;
}

function explainStale(error: unknown): never {
  if (!(error instanceof AppError && error.code === "stale")) throw error;
  throw new StartError("The definitions changed while this command compared them. Nothing was changed: run it again.");
}

/** A difference on a line. */
function describe({ path: names, before, after }: Difference): string {
  const place = names.map((name) => (PLAIN_NAME.test(name) ? name : JSON.stringify(name))).join(".");
  const what =
    after === undefined
      ? `removed ${excerpt(before)}`
      : before === undefined
        ? `added ${excerpt(after)}`
        : `${excerpt(before, after)} → ${excerpt(after, before)}`;
  return `${escapeControls(`${place}: ${what}`)}\n`;
}

/** A value's text; of a long one, the part where it begins to differ from another. */
function excerpt(text = "", other = ""): string {
  if (text.length <= LONGEST_VALUE) return text;
  let same = 0;
  while (same < text.length && text[same] === other[same]) same++;
  const start = Math.max(0, same - CONTEXT);
  const end = start + LONGEST_VALUE;
  return `${start > 0 ? "…" : ""}${text.slice(start, end).toWellFormed()}${end < text.length ? "…" : ""}`;
}

/** So that what others have stored cannot steer a terminal. */
function escapeControls(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
