import { useQuery } from "@tanstack/react-query";
import type { ComponentProps } from "react";
import { SecretTextDialog } from "@/components/secret-dialog";
import { CallSnippets } from "@/components/snippets/call-snippets";
import { Notice } from "@/components/ui/notice";
import { useEnvironment, useEnvironmentSlug } from "@/components/use-environment";
import type { CreatedApiToken } from "@/lib/api-tokens/schema";
import { ALL_GROUPS, type Group, groupListQuery } from "@/lib/groups/queries";
import type { SnippetGroup } from "@/lib/snippets/request";

interface ShownApiTokenProps {
  created: CreatedApiToken;
  /** what happens to the replaced value */
  note?: string;
  onClose: () => void;
}

/** Shows a new API token once, with an example call. */
export function ShownApiToken({ created: { token, apiToken, warnings }, note = "", onClose }: ShownApiTokenProps) {
  const slug = useEnvironmentSlug();
  const groups = useQuery(groupListQuery(slug, ALL_GROUPS));
  const [group] = groups.data?.groups ?? [];
  const environment = useEnvironment();
  const example = exampleOf(apiToken.scopes, group);
  return (
    <SecretTextDialog
      wide
      title="The API token is ready"
      description={`“${apiToken.name}” works right away. ${note}`}
      what="API token"
      secret={token}
      advice="Copy it to your program’s secrets before you close this."
      redo="create another"
      onClose={onClose}
    >
      {warnings.map((warning) => (
        <Notice key={warning} tone="warning">
          <p>{warning}</p>
        </Notice>
      ))}
      {example ? (
        <div className="flex flex-col gap-1.5">
          <p className="font-medium">Use it like this</p>
          <CallSnippets group={example.group} call={example.call} environment={environment?.name} />
          <p className="text-text-muted text-xs">{example.words}</p>
        </div>
      ) : (
        <p className="text-text-muted">
          The{" "}
          <a href="/docs" className="text-link">
            API reference
          </a>{" "}
          has an example of each call that it can make.
        </p>
      )}
    </SecretTextDialog>
  );
}

interface Example {
  call: ComponentProps<typeof CallSnippets>["call"];
  group: SnippetGroup;
  words: string;
}

/** The first of these calls that the scopes allow; undefined if they allow none. */
function exampleOf(scopes: readonly string[], group: Group | undefined): Example | undefined {
  const { providedId, name } = group ?? { providedId: "example_1", name: "Example 1" };
  const named = { user_group_id: providedId, name };
  const none = "There are no user groups yet. Replace example_1 once there is one.";
  if (scopes.includes("tokens:read")) {
    // For an existing group the call changes nothing.
    const created = scopes.includes("groups:create") ? "Creates the user group example_1 and returns its token." : none;
    const words = group ? `Returns the user group “${name}” and its token. Changes nothing.` : created;
    return { call: "getOrCreate", group: named, words };
  }
  if (scopes.includes("viewers:ask")) {
    return { call: "ask", group: named, words: "Returns the user group that the token identifies. Changes nothing." };
  }
  if (scopes.includes("viewers:mint")) {
    const words = group ? `Returns a viewer token of the user group “${name}”.` : none;
    return { call: "mint", group: { user_group_id: providedId, viewer: "user_42" }, words };
  }
  if (!scopes.includes("groups:read")) return undefined;
  return { call: "list", group: named, words: "Returns the first ten user groups, without their tokens." };
}
