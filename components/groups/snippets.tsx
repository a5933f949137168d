"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useId } from "react";
import { CopyButton } from "@/components/copy-button";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { Select } from "@/components/ui/select";
import { embedSnippets, fillTemplate } from "@/lib/environments/embed";
import { environmentsQuery } from "@/lib/environments/queries";
import type { Group } from "@/lib/groups/queries";

const FORMATS = ["json", "html", "react", "dotenv", "template"] as const;
type Format = (typeof FORMATS)[number];
const NAMES: Record<Format, string> = {
  json: "JSON",
  html: "HTML",
  react: "React",
  dotenv: ".env",
  template: "Your team’s template",
};

interface SnippetsProps {
  group: Group;
  /** shown in the token's place: the token or its mask */
  token: string;
  /** the token for the clipboard */
  copy: () => Promise<string>;
}

/** A group's embed configurations, with the token filled in. */
export function Snippets({ group, token, copy }: SnippetsProps) {
  const _id = useId();
  const slug = useEnvironmentSlug();
  const [format, setFormat] = useQueryState("format", parseAsStringLiteral(FORMATS).withDefault("json"));
  const { data } = useQuery(environmentsQuery(slug));
  const template = data?.environments.find((one) => one.slug === slug)?.embedTemplate;
  const write = (value: string) => {
    const { providedId: userGroupId, name: userGroupName, properties } = group;
    if (format !== "template") return { text: embedSnippets({ token: value, userGroupId })[format], missing: [] };
    const values = { token: value, userGroupId, userGroupName, environment: slug };
    return fillTemplate(template ?? "", { ...values, properties: JSON.parse(properties ?? "null") });
  };
  const { text, missing } = write(token);
  const options = FORMATS.map((value) => ({ value, label: NAMES[value] }));
  return (
    <section aria-label="Embed configuration" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="flex items-center gap-3">
          <h3 className="font-medium">Embed configuration</h3>
          <Select label="Format" value={format} onChange={(next) => void setFormat(next)} options={options} />
        </div>
        {(format !== "template" || template) && (
          <CopyButton what="embed configuration" text={async () => write(await copy()).text}>
            Copy with token
          </CopyButton>
        )}
      </div>
      {format === "template" && !template ? (
        <p className="rounded-md border border-border bg-sunken px-3 py-2.5 text-text-muted">
          This environment has no template yet. An owner or admin can add one under Settings, Environments.
        </p>
      ) : (
        <pre className="overflow-x-auto whitespace-pre-wrap break-all rounded-md border border-border bg-sunken px-3 py-2.5 font-mono text-xs">
          {text}
        </pre>
      )}
      {missing.length > 0 && (
        <p className="text-warning">This group has no value for {missing.join(", ")}, so it is left as is.</p>
      )}
    </section>
  );
}
