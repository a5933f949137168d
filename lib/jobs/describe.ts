import type { JobRow } from "@/lib/jobs/schema";

const LONGEST_VALUE = 60;
const FIELDS = ["name", "mapping", "properties"] as const;

/** A row in words, with a line end; blank for an unchanged one. */
export function describeRow({ line, outcome, provided_id, before, after, issues, warnings = [] }: JobRow): string {
  if (outcome === "same") return "";
  const details =
    issues.length > 0
      ? issues.map(({ path, message }) => [...path, message].join(" "))
      : FIELDS.filter((field) => before && after && before[field] !== after[field]).map(
          (field) => `${field} ${shorten(before?.[field])} → ${shorten(after?.[field])}`,
        );
  details.push(...warnings.map(({ path, message }) => `warning: ${[path.join("."), message].join(" ")}`));
  const what = provided_id === null ? outcome : `${outcome} ${JSON.stringify(provided_id)}`;
  const where = line === null ? "not in the file" : `line ${line}`;
  return `${[where, what, ...(details.length > 0 ? [details.join("; ")] : [])].join(": ")}\n`;
}

function shorten(text: string | null | undefined): string {
  const characters = [...(text ?? "null")];
  return characters.length <= LONGEST_VALUE ? characters.join("") : `${characters.slice(0, LONGEST_VALUE).join("")}…`;
}
