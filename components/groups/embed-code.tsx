import { CodeSample } from "@/components/code-sample";
import { CopyButton } from "@/components/copy-button";
import { FORMAT_NAMES, useEmbed } from "@/components/groups/embed-formats";
import { PageLink } from "@/components/page-link";
import { Segmented } from "@/components/ui/segmented";
import { Skeleton } from "@/components/ui/skeleton";
import { useEnvironmentSlug } from "@/components/use-environment";
import type { Group } from "@/lib/groups/queries";

interface EmbedCodeProps {
  group: Group;
  /** shown in the token's place: the token or its mask */
  token: string;
  /** the token for the clipboard */
  fetchToken: () => Promise<string>;
}

/** Replaces the token in a copy without it. */
const PLACEHOLDER = "YOUR_USER_GROUP_TOKEN";

/** A group's embed configuration, in a choice of formats. */
export function EmbedCode({ group, token, fetchToken }: EmbedCodeProps) {
  const slug = useEnvironmentSlug();
  const { format, setFormat, options, hasTemplate, write } = useEmbed(group);
  const { text, missing } = format ? write(format, token) : { text: undefined, missing: [] };
  return (
    <section aria-label="Embed configuration" className="flex min-w-0 flex-col gap-2.5">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Segmented label="Format" value={format ?? "html"} onChange={setFormat} options={options} />
        {format && (
          <div className="flex flex-wrap gap-2">
            <CopyButton
              what="embed configuration without the token"
              text={write(format, PLACEHOLDER).text}
              variant="ghost"
            >
              Copy without token
            </CopyButton>
            <CopyButton
              what="embed configuration"
              text={async () => write(format, await fetchToken()).text}
              variant="primary"
            >
              Copy with token
            </CopyButton>
          </div>
        )}
      </div>
      {text === undefined ? <Skeleton className="h-15" /> : <CodeSample text={text} secret={token} />}
      {missing.length > 0 && (
        <p className="text-warning text-xs">This group has no value for {missing.join(", ")}, so it is left as is.</p>
      )}
      {!hasTemplate && (
        <p className="text-text-muted text-xs">
          Does your team embed in its own way? Add a template under{" "}
          <PageLink href={`/${slug}/settings/embedding`} className="text-link">
            Embedding
          </PageLink>
          : it comes first here, as “{FORMAT_NAMES.template}”.
        </p>
      )}
    </section>
  );
}
