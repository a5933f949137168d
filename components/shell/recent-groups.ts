import { useParams } from "next/navigation";
import { useEffect } from "react";
import { browserStore, listOf } from "@/components/ui/browser-store";

const MOST = 5;

/** A group that was opened: its environment and number. Names change, so they are always fetched. */
interface RecentGroup {
  slug: string;
  teamId: number;
}

const stored = browserStore("recent-groups", listOf(isRecent));

function isRecent(value: unknown): value is RecentGroup {
  const { slug, teamId } = (value ?? {}) as Partial<RecentGroup>;
  return typeof slug === "string" && Number.isInteger(teamId);
}

/** The groups last opened in this browser, latest first. */
export function recentGroups(): RecentGroup[] {
  return stored.read().slice(0, MOST);
}

/** Remembers the group of the open page. */
export function useRememberGroup() {
  const { environment: slug, teamId } = useParams<{ environment: string; teamId?: string }>();
  useEffect(() => {
    const number = Number(teamId);
    if (!Number.isInteger(number) || number < 1) return;
    const others = stored.read().filter((one) => one.slug !== slug || one.teamId !== number);
    stored.keep([{ slug, teamId: number }, ...others].slice(0, MOST));
  }, [slug, teamId]);
}
