import {
  createLoader,
  createParser,
  createSerializer,
  parseAsArrayOf,
  parseAsBoolean,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
} from "nuqs/server";
import { holdsToken } from "@/components/pasted-token";
import { type ListState, PAGE } from "@/lib/groups/queries";

/** A minus means descending. */
export const SORTS = [
  { value: "-updated", label: "Last updated" },
  { value: "updated", label: "First updated" },
  { value: "-created", label: "Newest" },
  { value: "created", label: "Oldest" },
  { value: "name", label: "Name, A to Z" },
  { value: "-name", label: "Name, Z to A" },
  { value: "id", label: "Id, A to Z" },
  { value: "-id", label: "Id, Z to A" },
] as const;
export type Sort = (typeof SORTS)[number]["value"];

/** The periods offered, in days. */
const SPANS = [1, 7, 30, 90];
export const USES = [
  ...SPANS.map((days) => usedOf(`within-${days}d`)),
  ...SPANS.map((days) => usedOf(`not-within-${days}d`)),
  usedOf("never"),
];

/** A last-used filter and its label. */
export function usedOf(value: string) {
  const [, kind = "", days] = /^(not-within|within|idle)-(\d+)d$/.exec(value) ?? [];
  if (days === undefined) return { value, label: value === "never" ? "Never used" : value };
  const words = { within: "Used in", "not-within": "Not used in", idle: "Used, but not in" }[kind] ?? kind;
  return { value, label: `${words} the last ${days === "1" ? "day" : `${days} days`}` };
}

export const STATES = [
  { value: "active", label: "Active" },
  { value: "suspended", label: "Suspended" },
  { value: "ended", label: "Ended" },
];

/** The tabs above the list; each sets a state and a last use. */
export const VIEWS = [
  { key: "all", label: "All", state: "", used: "" },
  { key: "in_use", label: "In use", state: "active", used: "within-30d" },
  { key: "idle", label: "Idle", state: "active", used: "idle-30d" },
  { key: "never_used", label: "Never used", state: "active", used: "never" },
  { key: "suspended", label: "Suspended", state: "suspended", used: "" },
] as const;
export type ListView = (typeof VIEWS)[number];

/** The tab that shows this state and last use, if any. */
export function viewOf({ state, used }: Pick<ListState, "state" | "used">): ListView | undefined {
  return VIEWS.find((view) => view.state === state && view.used === used);
}

/** nuqs decodes %2C as the comma between filters, so a filter's own percent signs are escaped. */
const parseAsFilter = createParser({
  parse: (text) => text.replaceAll("%25", "%"),
  serialize: (filter: string) => filter.replaceAll("%", "%25"),
});

/** The list's URL parameters. */
export const LIST_PARSERS = {
  search: parseAsString.withDefault(""),
  filter: parseAsArrayOf(parseAsFilter).withDefault([]),
  state: parseAsString.withDefault(""),
  used: parseAsString.withDefault(""),
  sort: parseAsStringLiteral(SORTS.map(({ value }) => value)).withDefault("-updated"),
  cursor: parseAsString.withDefault(""),
  // A cursor does not say whether it leads backwards, nor the place of its page's first group.
  back: parseAsBoolean.withDefault(false),
  from: parseAsInteger.withDefault(1),
};

interface Parsed extends Omit<ListState, "filters"> {
  filter: string[];
  from: number;
}

export function listStateOf({ filter, search, from, ...rest }: Parsed): ListState {
  // A token in the URL is not sent on.
  const filters = filter.filter((one) => !holdsToken(one));
  return { ...rest, search: holdsToken(search) ? "" : search, filters };
}

/** A page of the list. */
export interface PageInUrl {
  cursor: string;
  /** whether the cursor leads to the previous page */
  back: boolean;
  /** the place of its first group, counted from 1 */
  from: number;
}

export const FIRST: PageInUrl = { cursor: "", back: false, from: 1 };

/** The page before a page, given its backward cursor and the place of its first group. */
export function pageBefore(cursor: string, from: number): PageInUrl {
  return { cursor, back: true, from: Math.max(1, from - PAGE) };
}

const serialize = createSerializer(LIST_PARSERS);

/** A list's URL, from its first page. */
export function addressOf(slug: string, { filters, sort, ...list }: ListState): string {
  return serialize(`/${slug}/groups`, { ...list, filter: filters, sort: sort as Sort, ...FIRST });
}

/** Reads the list's URL parameters on the server. */
export const loadListParameters = createLoader(LIST_PARSERS);
