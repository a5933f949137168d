import type { QueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { browserStore } from "@/components/ui/browser-store";
import { definitionsQuery } from "@/lib/definitions/queries";
import { summaryQuery } from "@/lib/groups/queries";
import {
  type ColumnTarget,
  columnTarget,
  type ForeignTable,
  readForeignTable,
  writeTable,
} from "@/lib/jobs/foreign-table";
import { guessTargets, type KnownMembers, knownMembers } from "@/lib/jobs/guess-columns";

/** A table, and the targets of its columns in order. */
export interface ColumnMapping {
  table: ForeignTable;
  known: KnownMembers;
  targets: ColumnTarget[];
  /** whether a blank cell removes its value, rather than keeping it */
  removesBlank: boolean;
}

/** An environment's last column targets by column name, kept in this browser. */
const storedTargets = (slug: string) =>
  browserStore(`import-columns-${slug}`, (text) => targetsByName.parse(JSON.parse(text ?? "{}")));
const targetsByName = z.record(z.string(), columnTarget).catch({});

/**
 * Reads a table and guesses its columns' targets; undefined for a file that the service can read as it is.
 * @throws {ApiError | JobError}
 */
export async function startMapping(
  file: File,
  { slug, client }: { slug: string; client: QueryClient },
): Promise<ColumnMapping | undefined> {
  const table = await readForeignTable(file);
  if (!table) return undefined;
  const [summary, { text }] = await Promise.all([
    client.fetchQuery(summaryQuery(slug)),
    client.fetchQuery(definitionsQuery(slug)),
  ]);
  const known = knownMembers(summary, text);
  return { table, known, targets: guessTargets(table, known, storedTargets(slug).read()), removesBlank: false };
}

/** Why a table cannot be written yet. */
export function mappingProblem(targets: ColumnTarget[]): string | undefined {
  if (!targets.some(({ to }) => to === "id")) return "Choose the column that has your ids.";
  const used = new Set<string>();
  for (const { to, key } of targets) {
    const isMember = to === "property" || to === "schema";
    if (to === "nothing") continue;
    if (isMember && key === "") return to === "property" ? "Name each property." : "Give each schema its id.";
    const name = isMember ? `${to} ${key}` : to;
    if (used.has(name)) return `Two columns are mapped to ${isMember ? name : to === "id" ? "the id" : "the name"}.`;
    used.add(name);
  }
  return undefined;
}

/** Keeps a chosen target for the next table with a column of this name. */
export function keepTarget(slug: string, column: string, target: ColumnTarget) {
  const kept = storedTargets(slug);
  kept.keep({ ...kept.read(), [column]: target });
}

/** Writes a table in the service's format, and keeps its mapping for the next table. */
export function mapFile(slug: string, { table, targets, removesBlank }: ColumnMapping): File {
  const chosen = Object.fromEntries(targets.map((target, at) => [table.columns[at]?.name, target]));
  const kept = storedTargets(slug);
  kept.keep({ ...kept.read(), ...chosen });
  return new File(writeTable(table, { targets, removesBlank }), table.name, { type: "text/csv" });
}
