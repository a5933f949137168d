"use client";

import { useQuery } from "@tanstack/react-query";
import { CodeBlock } from "@/components/code-block";
import { useEnvironment, useEnvironmentSlug } from "@/components/environments/use-environment";
import { SecretDialog } from "@/components/secret-dialog";
import { CallSnippets } from "@/components/snippets/call-snippets";
import { Notice } from "@/components/ui/notice";
import type { CreatedApiToken } from "@/lib/api-tokens/schema";
import { groupListQuery } from "@/lib/groups/queries";

interface ShownApiTokenProps {
  created: CreatedApiToken;
  onClose: () => void;
}

/** A new API token, which is shown here and never again, and a call made with it. */
export function ShownApiToken({ created: { token, apiToken }, onClose }: ShownApiTokenProps) {
  const slug = useEnvironmentSlug();
  // With a group that exists the call changes nothing, and a read-only token gets an answer too.
  const groups = useQuery(groupListQuery(slug, { search: "", filters: [], used: "", sort: "-updated", cursor: "" }));
  const [group] = groups.data?.groups ?? [];
  const { providedId, name } = group ?? { providedId: "example_1", name: "Example 1" };
  const environment = useEnvironment();
  return (
    <SecretDialog
      wide
      title="The API token is ready"
      description={`“${apiToken.name}” works from now on.`}
      secret={token}
      loses="The API token is shown only now. You have not copied it, and would have to make another one."
      onClose={onClose}
    >
      {/* Not the button that closes: a second Enter must not lose the token. */}
      <CodeBlock what="API token" text={token} autoFocus />
      <Notice tone="warning">
        <p>It is shown only now. Copy it to where your program keeps its secrets before you close this.</p>
      </Notice>
      <div className="flex flex-col gap-1.5">
        <p className="font-medium">Use it like this</p>
        <CallSnippets
          group={{ user_group_id: providedId, name }}
          calls={["getOrCreate"]}
          environment={environment?.name}
        />
        <p className="text-text-muted text-xs">
          {group
            ? `Answers with the user group “${name}” and its token, and changes nothing.`
            : apiToken.access === "write"
              ? "Creates the user group example_1, as there is none yet, and answers with its token."
              : "There is no user group yet that a read-only token could get: put in the id of one once there is."}
        </p>
      </div>
    </SecretDialog>
  );
}
