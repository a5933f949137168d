import { copyText } from "@/components/copy-button";
import { toast } from "@/components/ui/toast";
import type { GroupReference } from "@/lib/groups/schema";
import { fetchTokenLines } from "@/lib/groups/token-queries";

/** Copies the tokens of groups, and says so. */
export async function copyTokens(slug: string, groups: GroupReference[]) {
  await copyText(fetchTokenLines(slug, groups));
  const title = `Copied ${groups.length.toLocaleString("en")} ${groups.length === 1 ? "token" : "tokens"}`;
  toast({ title, description: "As lines of id, tab and token." });
}
