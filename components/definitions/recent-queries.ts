"use client";

import { storedList } from "@/components/stored-list";

const MOST = 10;
/** Longer queries are not kept: storage is small. */
const LONGEST = 10_000;

const stored = storedList("recent-queries", (query) => typeof query === "string");

/** The queries that this browser has previewed, newest first. */
export function useRecentQueries() {
  return {
    queries: stored.useItems(),
    remember: (query: string) => {
      if (query.length > LONGEST) return;
      stored.keep([query, ...stored.read().filter((one) => one !== query)].slice(0, MOST));
    },
    clear: () => stored.keep([]),
  };
}
