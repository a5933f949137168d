import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { version } from "@/lib/config/version";
import { read, type Statement, write } from "@/lib/db/pool";

const CHANGELOG = "CHANGELOG.md";

const NEWEST: Statement = { name: "newest_version", text: "SELECT version FROM newest_version" };
const BEGIN: Statement = {
  name: "begin_newest_version",
  text: "INSERT INTO newest_version (version) VALUES ($1) ON CONFLICT DO NOTHING",
};
/** Of several instances that start together, one changes the row. */
const RAISE: Statement = {
  name: "raise_newest_version",
  text: `
    UPDATE newest_version SET version = $1, since = transaction_timestamp() WHERE version = $2
    RETURNING version`,
};

/**
 * Records that this version serves the database; returns what to tell at the first start of a newer version than all
 * before.
 */
export async function recordVersion(): Promise<string | undefined> {
  const current = version();
  const [newest] = await read<{ version: string }>(NEWEST, []);
  if (!newest) await write(BEGIN, [current]);
  if (!newest || !isNewer(current, newest.version)) return undefined;
  const raised = await write(RAISE, [current, newest.version]);
  return raised.length > 0 ? noticeOf(newest.version, current) : undefined;
}

function noticeOf(from: string, to: string): string {
  const file = path.join(process.cwd(), CHANGELOG);
  const parts = existsSync(file) ? changesBetween(readFileSync(file, "utf8"), from) : [];
  const where = parts.length > 0 ? ` under ${parts.join("; ")}` : "";
  return `Upgraded from ${from} to ${to}. ${CHANGELOG} says what changed${where}.`;
}

/** The headings of a changelog above that of a version, newest first, each with its parts: `1.0.0 (Added, Changed)`. */
export function changesBetween(changelog: string, from: string): string[] {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      name: /^\[?([^\]\s]+)/.exec(section)?.[1] ?? "",
      parts: [...section.matchAll(/^### (.+)$/gm)].map(([, part]) => part),
    }))
    .filter(({ name, parts }) => parts.length > 0 && (name === "Unreleased" || isNewer(name, from)))
    .map(({ name, parts }) => `${name} (${parts.join(", ")})`);
}

const byNumber = new Intl.Collator("en", { numeric: true });

function isNewer(one: string, other: string): boolean {
  return byNumber.compare(one, other) > 0;
}
