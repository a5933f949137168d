"use client";

import { useParams } from "next/navigation";
import { useEffect } from "react";

const KEY = "recent-groups";
const MOST = 5;

/** A group that was opened: where, and its number. Names are read again, as they change. */
interface RecentGroup {
  slug: string;
  teamId: number;
}

/** The groups that were opened last in this browser, the latest first. */
export function recentGroups(): RecentGroup[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isRecent).slice(0, MOST) : [];
  } catch {
    // Storage may be refused, or hold something else: then nothing is recent.
    return [];
  }
}

function isRecent(value: unknown): value is RecentGroup {
  const { slug, teamId } = (value ?? {}) as Partial<RecentGroup>;
  return typeof slug === "string" && Number.isInteger(teamId);
}

/** Remembers the group of the open page. */
export function useRememberGroup() {
  const { environment: slug, teamId } = useParams<{ environment: string; teamId?: string }>();
  useEffect(() => {
    const number = Number(teamId);
    if (!Number.isInteger(number) || number < 1) return;
    const others = recentGroups().filter((one) => one.slug !== slug || one.teamId !== number);
    try {
      localStorage.setItem(KEY, JSON.stringify([{ slug, teamId: number }, ...others].slice(0, MOST)));
    } catch {
      // Storage may be full or refused; the page works without it.
    }
  }, [slug, teamId]);
}
