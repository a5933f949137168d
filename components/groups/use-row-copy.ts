import { useQueryClient } from "@tanstack/react-query";
import { copyText, SAID_MS, toastNotCopied } from "@/components/copy-button";
import { announce } from "@/components/ui/announcer";
import { useBriefly } from "@/components/use-briefly";
import { useEnvironmentSlug } from "@/components/use-environment";
import { environmentsQuery } from "@/lib/environments/queries";
import type { Group } from "@/lib/groups/queries";
import { askToRevealToken } from "@/lib/groups/token-queries";

export type Copied = "token" | "embed";

/** Copies a group's token or embed configuration from the list, without showing it. */
export function useRowCopy() {
  const slug = useEnvironmentSlug();
  const client = useQueryClient();
  const [copied, setCopied] = useBriefly<{ teamId: number; what: Copied }>(SAID_MS);
  const embed = async (group: Group) => {
    const { formatFor, writeEmbed } = await import("@/components/groups/embed-formats");
    const [token, { environments }] = await Promise.all([
      askToRevealToken(slug, group.teamId, "copy"),
      client.fetchQuery(environmentsQuery(slug)),
    ]);
    const template = environments.find((one) => one.slug === slug)?.embedTemplate || undefined;
    return writeEmbed(formatFor(template), group, { token, slug, template }).text;
  };
  const copy = async (group: Group, what: Copied) => {
    try {
      await copyText(what === "token" ? askToRevealToken(slug, group.teamId, "copy") : embed(group));
      setCopied({ teamId: group.teamId, what });
      announce(`Copied ${what} of ${group.name}`);
    } catch (error) {
      toastNotCopied(what, error);
    }
  };
  return { copied, copy };
}
