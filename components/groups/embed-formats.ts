import { useQuery } from "@tanstack/react-query";
import { browserStore, oneOf } from "@/components/ui/browser-store";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useInBrowser } from "@/components/use-in-browser";
import { useCanWrite } from "@/components/use-member";
import { embedSnippets, fillTemplate } from "@/lib/environments/embed";
import { environmentsQuery } from "@/lib/environments/queries";
import type { Group } from "@/lib/groups/queries";

const FORMATS = ["template", "html", "react", "json", "dotenv"] as const;
export type EmbedFormat = (typeof FORMATS)[number];

export const FORMAT_NAMES: Record<EmbedFormat, string> = {
  template: "Your template",
  html: "HTML",
  react: "React",
  json: "JSON",
  dotenv: ".env",
};

const stored = browserStore("embed-format", oneOf(FORMATS));

/** The format last chosen in this browser, else the team's template if there is one. */
export function formatFor(template: string | undefined, chosen = stored.read()): EmbedFormat {
  if (template) return chosen ?? "template";
  return chosen && chosen !== "template" ? chosen : "html";
}

/** A group's embed configuration with this token, and which template variables have no value. */
export function writeEmbed(
  format: EmbedFormat,
  { providedId, name, properties }: Pick<Group, "providedId" | "name" | "properties">,
  { token, slug, template = "" }: { token: string; slug: string; template?: string | undefined },
): { text: string; missing: string[] } {
  if (format !== "template") return { text: embedSnippets({ token, userGroupId: providedId })[format], missing: [] };
  const values = { token, userGroupId: providedId, userGroupName: name, environment: slug };
  return fillTemplate(template, { ...values, properties: JSON.parse(properties ?? "null") });
}

/** A group's embed configurations; the last chosen format is remembered by the browser. */
export function useEmbed(group: Group) {
  const slug = useEnvironmentSlug();
  const remembered = stored.useKept();
  const isInBrowser = useInBrowser();
  const { data, isPending } = useQuery({ ...environmentsQuery(slug), enabled: useCanWrite() });
  const template = data?.environments.find((one) => one.slug === slug)?.embedTemplate || undefined;
  const isOurs = remembered !== undefined && remembered !== "template";
  return {
    /** undefined until it is known whether there is a template */
    format: !isInBrowser || (isPending && !isOurs) ? undefined : formatFor(template, remembered),
    setFormat: stored.keep,
    /** the team's template comes first, if there is one */
    options: FORMATS.filter((value) => value !== "template" || template).map((value) => ({
      value,
      label: FORMAT_NAMES[value],
    })),
    hasTemplate: template !== undefined,
    write: (format: EmbedFormat, token: string) => writeEmbed(format, group, { token, slug, template }),
  };
}
