"use client";

import { useSyncExternalStore } from "react";

/** A list with a name. */
export interface PinnedView {
  name: string;
  /** its URL without the origin */
  address: string;
}

const KEY = "pinned-views";
const NONE: PinnedView[] = [];
export const MOST_PINNED = 20;
const listeners = new Set<() => void>();
/** The text that was read last, and its views: the same text is the same list. */
let known: { text: string | null; views: PinnedView[] } = { text: null, views: NONE };

function subscribe(listener: () => void) {
  listeners.add(listener);
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}

function read(): PinnedView[] {
  const text = localStorage.getItem(KEY);
  if (text !== known.text) known = { text, views: parse(text) };
  return known.views;
}

function parse(text: string | null): PinnedView[] {
  try {
    const views: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(views) ? views.filter(isView) : NONE;
  } catch {
    return NONE;
  }
}

function isView(value: unknown): value is PinnedView {
  const { name, address } = (value ?? {}) as Partial<PinnedView>;
  return typeof name === "string" && typeof address === "string" && address.startsWith("/");
}

function keep(views: PinnedView[]) {
  localStorage.setItem(KEY, JSON.stringify(views));
  // Storage events reach only other pages.
  for (const listener of listeners) listener();
}

/** The views that this browser keeps of an environment. */
export function usePinnedViews(slug: string) {
  const all = useSyncExternalStore(subscribe, read, () => NONE);
  const views = all.filter(({ address }) => address.split("?")[0] === `/${slug}/groups`);
  return {
    views,
    pin: (view: PinnedView) => keep([...all.filter(({ address }) => address !== view.address), view]),
    rename: (address: string, name: string) =>
      keep(all.map((view) => (view.address === address ? { ...view, name } : view))),
    remove: (address: string) => keep(all.filter((view) => view.address !== address)),
  };
}
