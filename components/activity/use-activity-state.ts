import {
  type Options,
  parseAsInteger,
  parseAsIsoDateTime,
  parseAsString,
  parseAsStringLiteral,
  useQueryStates,
} from "nuqs";
import { OLDER } from "@/components/older-pages";
import type { ActivityFilters } from "@/lib/audit/queries";

const PARSERS = {
  scope: parseAsStringLiteral(["environment", "all"]).withDefault("environment"),
  member: parseAsString,
  apiToken: parseAsInteger,
  action: parseAsString,
  group: parseAsInteger,
  from: parseAsIsoDateTime,
  to: parseAsIsoDateTime,
  older: OLDER,
};

const NO_FILTERS = { member: null, apiToken: null, action: null, group: null, from: null, to: null, older: null };

type State = ReturnType<typeof useQueryStates<typeof PARSERS>>[0];

/** The filters, kept in the URL. Changing one returns to the newest entries. */
export function useActivityState(teamId?: number) {
  const [state, set] = useQueryStates(PARSERS, { history: "push" });
  const { scope, member, apiToken, action, group, from, to, older } = state;
  const filters: ActivityFilters = withoutBlanks({
    scope: teamId === undefined ? scope : undefined,
    member,
    api_token: apiToken?.toString(),
    action,
    team_id: (teamId ?? group)?.toString(),
    from: from?.toISOString(),
    to: to?.toISOString(),
    cursor: older.at(-1),
  });
  const narrowing = [member, apiToken, action, from, to, teamId === undefined ? group : null];
  return {
    state,
    filters,
    isFiltered: narrowing.some((one) => one !== null),
    narrow: (change: Partial<Omit<State, "older">>) => set({ ...change, older: null }),
    clear: () => set(NO_FILTERS),
    turn: (older: string[], options?: Options) => set({ older }, options),
  };
}

export type ActivityStateInUrl = ReturnType<typeof useActivityState>;

function withoutBlanks(values: Record<string, string | null | undefined>): ActivityFilters {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));
}
