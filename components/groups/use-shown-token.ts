import { useBriefly } from "@/components/use-briefly";
import { useEnvironmentSlug } from "@/components/use-environment";
import type { Group } from "@/lib/groups/queries";
import { askToRevealToken } from "@/lib/groups/token-queries";

/** How long a token stays on the screen, in seconds. */
export const SHOWN_SECONDS = 30;

/** Shown in place of a token. */
export const MASKED_TOKEN = `ugt_${"•".repeat(16)}`;

/** A revealed token: kept in one page's state for 30 s, never in the query cache. */
export function useShownToken({ teamId, rotatedAt }: Group) {
  const slug = useEnvironmentSlug();
  const [shown, setShown] = useBriefly<{ token: string; rotatedAt: string }>(SHOWN_SECONDS * 1_000);
  return {
    /** the token while it is shown; hidden once the group's token is rotated */
    value: shown?.rotatedAt === rotatedAt ? shown.token : undefined,
    show: async () => setShown({ token: await askToRevealToken(slug, teamId, "reveal"), rotatedAt }),
    hide: () => setShown(undefined),
    /** fetches it for the clipboard, without showing it */
    fetch: () => askToRevealToken(slug, teamId, "copy"),
  };
}

export type ShownToken = ReturnType<typeof useShownToken>;
