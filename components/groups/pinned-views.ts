import { browserStore, listOf } from "@/components/ui/browser-store";

/** A list with a name. */
export interface PinnedView {
  name: string;
  /** its URL without the origin */
  address: string;
}

export const MAX_PINNED = 20;

const stored = browserStore("pinned-views", listOf(isView));

function isView(value: unknown): value is PinnedView {
  const { name, address } = (value ?? {}) as Partial<PinnedView>;
  return typeof name === "string" && typeof address === "string" && address.startsWith("/");
}

/** The views of an environment that are pinned in this browser. */
export function usePinnedViews(slug: string) {
  const all = stored.useKept();
  const views = all.filter(({ address }) => address.split("?")[0] === `/${slug}/groups`);
  return {
    views,
    pin: (view: PinnedView) => stored.keep([...all.filter(({ address }) => address !== view.address), view]),
    remove: ({ address }: PinnedView) => stored.keep(all.filter((view) => view.address !== address)),
  };
}
