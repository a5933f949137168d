"use client";

import { useEffect, useState } from "react";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import type { Group } from "@/lib/groups/queries";
import { askToRevealToken } from "@/lib/groups/queries";

/** How long a token stays on the screen, in seconds. */
export const SHOWN_SECONDS = 30;

export interface ShownToken {
  /** the token while it is shown */
  value: string | undefined;
  show: () => Promise<void>;
  hide: () => void;
  /** fetches it for the clipboard, without showing it */
  fetch: () => Promise<string>;
}

/** A group's token while it is shown: in the state of one page, for 30 s, and never in the cache of queries. */
export function useShownToken({ teamId, rotatedAt }: Group): ShownToken {
  const slug = useEnvironmentSlug();
  const [shown, setShown] = useState<{ token: string; rotatedAt: string }>();
  useEffect(() => {
    if (!shown) return;
    const timer = setTimeout(() => setShown(undefined), SHOWN_SECONDS * 1_000);
    return () => clearTimeout(timer);
  }, [shown]);
  return {
    // One that was rotated away meanwhile is not shown on.
    value: shown?.rotatedAt === rotatedAt ? shown.token : undefined,
    show: async () => setShown({ token: await askToRevealToken(slug, teamId, "reveal"), rotatedAt }),
    hide: () => setShown(undefined),
    fetch: () => askToRevealToken(slug, teamId, "copy"),
  };
}
