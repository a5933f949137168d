import type { EnvironmentDetails } from "@/lib/environments/schema";
import { COUNTED_GROUPS, type EnvironmentRow } from "@/lib/environments/service";

/** The list of environments, with the contents that prevent deletion. */
export function serializeEnvironments(rows: EnvironmentRow[]) {
  return { environments: rows.map(serializeDetails) };
}

/** The answer to a creation or an update. */
export function serializeEnvironment(row: EnvironmentRow) {
  return { environment: serializeDetails(row) };
}

function serializeDetails(row: EnvironmentRow): EnvironmentDetails {
  return {
    slug: row.slug,
    name: row.name,
    tag: row.tag,
    embedTemplate: row.embed_template,
    groups: { count: Math.min(row.groups, COUNTED_GROUPS), exact: row.groups <= COUNTED_GROUPS },
    apiTokens: row.api_tokens,
    createdAt: row.created_at.toISOString(),
  };
}
