import { createLoader, parseAsArrayOf, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { holdsToken, holdsWholeToken } from "@/components/groups/pasted-token";
import type { ListState } from "@/lib/groups/queries";

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
  { value: "", label: "Any time" },
  ...SPANS.map((days) => usedOf(`within-${days}d`)),
  ...SPANS.map((days) => usedOf(`not-within-${days}d`)),
  usedOf("never"),
];

/** A last-used filter and its label. */
export function usedOf(value: string) {
  const [, not, days] = /^(not-)?within-(\d+)d$/.exec(value) ?? [];
  if (days === undefined) return { value, label: value === "never" ? "Never used" : value };
  return { value, label: `${not ? "Not used" : "Used"} in the last ${days === "1" ? "day" : `${days} days`}` };
}

export const STATES = [
  { value: "", label: "All" },
  { value: "active", label: "Active" },
  { value: "suspended", label: "Suspended" },
  { value: "ended", label: "Ended" },
];

/** The list's URL parameters. */
export const LIST_PARSERS = {
  search: parseAsString.withDefault(""),
  filter: parseAsArrayOf(parseAsString).withDefault([]),
  state: parseAsString.withDefault(""),
  used: parseAsString.withDefault(""),
  sort: parseAsStringLiteral(SORTS.map(({ value }) => value)).withDefault("-updated"),
  cursor: parseAsString.withDefault(""),
};

interface Parsed extends Omit<ListState, "filters"> {
  filter: string[];
}

export function listStateOf({ filter, search, ...rest }: Parsed): ListState {
  // A token in the URL goes no further.
  return { ...rest, search: holdsToken(search) ? "" : search, filters: filter.filter((one) => !holdsWholeToken(one)) };
}

/** For pages on the server. */
export const loadListParameters = createLoader(LIST_PARSERS);
