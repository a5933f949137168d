import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CodeText } from "@/components/code-text";
import { Select } from "@/components/ui/select";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useOrigin } from "@/components/use-in-browser";
import type { VisibleDraft } from "@/components/viewer-tokens/use-visible-draft";
import { cn } from "@/lib/browser/class-name";
import type { Definitions } from "@/lib/definitions/schema";
import { AppError, listIssues } from "@/lib/errors";
import type { Group } from "@/lib/groups/queries";
import { formatJson } from "@/lib/json/format";
import { writeJson } from "@/lib/json/raw-json";
import { MAX_TOKEN_BYTES } from "@/lib/viewer-tokens/claims";
import { lengthOfToken, previewClaims } from "@/lib/viewer-tokens/preview";
import { ownOriginsQuery, type ViewerSettings } from "@/lib/viewer-tokens/queries";

const REFUSED = {
  active: undefined,
  suspended: "No token is issued: the group is suspended.",
  ended: "No token is issued: the group’s access has ended.",
};
/** The choice without a claim template. */
const NO_TEMPLATE = "";

interface TokenClaimsProps {
  group: Group;
  settings: ViewerSettings;
  definitions: Definitions;
  draft: VisibleDraft;
  /** how much of the group is visible, in words */
  share: string;
  /** a claim template's name */
  chosen: string;
  onChoose: (template: string) => void;
}

/** The claims of a group's viewer token as JSON. Marks the lines that unsaved changes add. */
export function TokenClaims(props: TokenClaimsProps) {
  const { group, settings, definitions, draft, share, chosen, onChoose } = props;
  const slug = useEnvironmentSlug();
  const origin = useOrigin();
  const { data: origins } = useQuery(ownOriginsQuery(slug, group));
  const [now] = useState(() => Date.now());
  const names = Object.keys(settings.templates);
  const template = names.includes(chosen) ? chosen : undefined;
  const preview = (visible: ViewerSettings["visible"]) =>
    inWords({
      group,
      definitions,
      template,
      environment: slug,
      issuer: `${origin}/e/${slug}`,
      now,
      settings: { ...settings, visible },
      origins: origins?.own ?? null,
    });
  const { lines, bytes, problem = REFUSED[group.state] } = preview(draft.visible);
  const saved = draft.changes.length > 0 ? new Set(preview(settings.visible).lines.map(bare)) : undefined;
  return (
    <div className="border-border border-b bg-sunken">
      {names.length > 0 && (
        <div className="flex items-center gap-2 px-4 pt-3 text-text-secondary">
          Template
          <Select
            label="Claim template"
            value={template ?? NO_TEMPLATE}
            onChange={onChoose}
            options={[{ value: NO_TEMPLATE, label: "None" }, ...names.map((name) => ({ value: name, label: name }))]}
            className="max-w-44"
          />
        </div>
      )}
      <section
        aria-label="Claims"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable, so reachable by keyboard
        tabIndex={0}
        className="max-h-120 overflow-y-auto focus-visible:-outline-offset-2"
      >
        <pre className="py-3 font-mono text-xs leading-4.5">
          {lines.map((line, at) => (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other key than its place
              key={at}
              className={cn(
                "wrap-anywhere block whitespace-pre-wrap px-4",
                saved && !saved.has(bare(line)) && "bg-success/12 forced-colors:underline",
              )}
            >
              <CodeText text={line} />
              {"\n"}
            </span>
          ))}
        </pre>
      </section>
      <p className="flex flex-wrap justify-between gap-x-4 border-border border-t px-4 py-2 text-text-muted text-xs tabular-nums">
        {problem ? (
          <span className="text-danger">{problem}</span>
        ) : (
          <>
            <span>{share}</span>
            <span className={cn(bytes > MAX_TOKEN_BYTES && "text-danger")}>
              {bytes.toLocaleString("en")} of {MAX_TOKEN_BYTES.toLocaleString("en")} bytes
            </span>
          </>
        )}
      </p>
    </div>
  );
}

/** A line without its trailing comma, which depends on the next line. */
const bare = (line: string) => line.replace(/,$/, "");

/** The claims that are the same in every token, as lines of JSON, or why no token can be made. */
function inWords(previewed: Parameters<typeof previewClaims>[0]): { lines: string[]; bytes: number; problem?: string } {
  try {
    const claims = previewClaims(previewed);
    const { gen: _gen, iat, jti: _jti, viewer_key: _key, ...shown } = claims;
    const minutes = Math.round((Number(claims.exp) - Number(iat)) / 60);
    const text = formatJson(writeJson(shown)).replace(/^ {2}"exp": \d+$/m, `$& // in ${minutes} minutes`);
    return {
      lines: text.split("\n"),
      bytes: lengthOfToken(claims, previewed.settings.templates[previewed.template ?? ""]),
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { lines: [], bytes: 0, problem: `No token: ${listIssues(error.issues ?? [])}.` };
  }
}
