import { createLoader, parseAsArrayOf, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { holdsToken, holdsWholeToken } from "@/components/groups/pasted-token";
import type { ListState } from "@/lib/groups/queries";

/** The orders there are; a minus turns one round. */
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

/** Times within which tokens are most often asked for, in days. */
const SPANS = [1, 7, 30, 90];
/** When a token may have been used last. */
export const USES = [
  { value: "", label: "Any time" },
  ...SPANS.map((days) => usedOf(`within-${days}d`)),
  ...SPANS.map((days) => usedOf(`not-within-${days}d`)),
  usedOf("never"),
];

/** A condition on the last use, and how it is called. */
export function usedOf(value: string) {
  const [, not, days] = /^(not-)?within-(\d+)d$/.exec(value) ?? [];
  if (days === undefined) return { value, label: value === "never" ? "Never used" : value };
  return { value, label: `${not ? "Not used" : "Used"} in the last ${days === "1" ? "day" : `${days} days`}` };
}

/** What of the address the list reads. */
export const LIST_PARSERS = {
  search: parseAsString.withDefault(""),
  filter: parseAsArrayOf(parseAsString).withDefault([]),
  used: parseAsString.withDefault(""),
  sort: parseAsStringLiteral(SORTS.map(({ value }) => value)).withDefault("-updated"),
  cursor: parseAsString.withDefault(""),
};

interface Parsed extends Omit<ListState, "filters"> {
  filter: string[];
}

/** What the list shows at this address. */
export function listStateOf({ filter, search, ...rest }: Parsed): ListState {
  // A token that somebody put into the address goes no further.
  return { ...rest, search: holdsToken(search) ? "" : search, filters: filter.filter((one) => !holdsWholeToken(one)) };
}

/** Reads off a page's parameters, in the server. */
export const loadListParameters = createLoader(LIST_PARSERS);
