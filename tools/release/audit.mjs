// Writes a report of `npm audit --json`, read from stdin, as Markdown for the release notes.
import { readFileSync } from "node:fs";
import process from "node:process";

/**
 * @typedef {{ title: string, url: string, severity: string }} Advisory
 * @type {{ metadata?: { dependencies: { total: number } },
 *   vulnerabilities?: Record<string, { name: string, via: (string | Advisory)[] }> }}
 */
const { metadata, vulnerabilities = {} } = JSON.parse(readFileSync(0, "utf8") || "{}");
const date = new Date().toISOString().slice(0, 10);
const found = Object.values(vulnerabilities).flatMap(({ name, via }) =>
  // A string refers to another package in the list.
  via.flatMap((one) => (typeof one === "string" ? [] : `- ${name}, ${one.severity}: [${one.title}](${one.url})`)),
);
const text = !metadata
  ? "Unknown: the registry that this release was made with does not answer `npm audit`."
  : found.length === 0
    ? `None in the ${metadata.dependencies.total} packages, by \`npm audit\` on ${date}.`
    : `By \`npm audit\` on ${date}:\n\n${[...new Set(found)].join("\n")}`;
process.stdout.write(`\n### Known vulnerabilities\n\n${text}\n`);
