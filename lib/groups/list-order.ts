import type { Position } from "@/lib/groups/cursor";
import type { GroupListQuery, GroupSort } from "@/lib/groups/list-schema";

/**
 * Each order's sort key, which precedes the group's number; the comment above each names its index. `searched` is the
 * key's name in group_search if different, and `keys` are the rows of another table if that has the index.
 */
const ORDERS: Record<string, { key: string | null; searched?: string; type: string; unique?: true; keys?: string }> = {
  // user_group_sort_name_idx
  name: { key: 'lower(name) COLLATE "C"', searched: "sort_name", type: "text" },
  // user_group_environment_id_provided_id_key
  user_group_id: { key: "provided_id", type: "text", unique: true },
  // user_group_environment_id_team_id_idx: numbers follow the order of creation
  team_id: { key: null, type: "" },
  // group_search_environment_id_updated_at_team_id_idx
  updated_at: {
    key: "changed_at",
    searched: "updated_at",
    type: "timestamptz",
    keys: "(SELECT environment_id, team_id, updated_at AS changed_at FROM group_search) AS s",
  },
};

export const NO_KEY = "NULL::text";
const USER_GROUP = "user_group g";

/** SQL of a list's order, from a place on. */
export function orderOf({ sort, query }: { sort: GroupSort; query: GroupListQuery }, from: Position | undefined) {
  const name = sort.replace("-", "");
  const { key, searched = key, type, unique, keys } = ORDERS[name] ?? { key: null, type: "" };
  const descending = sort.startsWith("-") !== (from?.backward === true);
  const sign = descending ? "<" : ">";
  const by = (first: string | null) => {
    const columns = first === null ? ["team_id"] : unique ? [first] : [first, "team_id"];
    return {
      by: columns.map((column) => `${column} ${descending ? "DESC" : "ASC"}`).join(", "),
      after(values: unknown[]): string {
        if (!from) return "";
        const places = columns.map((column) =>
          column === "team_id" ? `$${values.push(from.teamId)}::int` : `$${values.push(from.key)}::${type}`,
        );
        return `AND (${columns.join(", ")}) ${sign}${from.isIncluded ? "=" : ""} (${places.join(", ")})`;
      },
    };
  };
  const next = by(key);
  // Otherwise a walk in this order would begin with all older groups.
  const since = name === "updated_at" ? query.updated_since : undefined;
  const after = (values: unknown[]) =>
    since ? `${next.after(values)} AND ${key} >= $${values.push(since)}::timestamptz` : next.after(values);
  const nearest = (table: string, values: unknown[], limit: number) =>
    `${table} WHERE environment_id = $1 ${after(values)} ORDER BY ${next.by} LIMIT ${limit}`;
  return {
    rows: keys ? `${keys} JOIN ${USER_GROUP} USING (environment_id, team_id)` : USER_GROUP,
    key: key ?? NO_KEY,
    searched: searched ?? NO_KEY,
    /** the nearest groups; reads another table's keys first, to read few rows of user_group */
    nearest: (values: unknown[], limit: number) =>
      keys
        ? `(SELECT * FROM ${nearest(keys, values, limit)}) AS s
           JOIN ${USER_GROUP} USING (environment_id, team_id) ORDER BY ${next.by}`
        : nearest(USER_GROUP, values, limit),
    alias: by(key && "sort_key"),
  };
}
