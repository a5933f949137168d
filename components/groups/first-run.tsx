import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CodeSample } from "@/components/code-sample";
import { CopyButton } from "@/components/copy-button";
import { Failure } from "@/components/failure";
import { SeeItUsed } from "@/components/groups/see-it-used";
import { TokenJourney } from "@/components/groups/token-journey";
import { useKept } from "@/components/groups/use-kept";
import { MASKED_TOKEN } from "@/components/groups/use-shown-token";
import { PageLink } from "@/components/page-link";
import { part } from "@/components/part";
import { submitted } from "@/components/submitted";
import { Button, buttonLook } from "@/components/ui/button";
import { Skeleton } from "@/components/ui/skeleton";
import { Step, StepList } from "@/components/ui/steps";
import { TextField } from "@/components/ui/text-field";
import { useEnvironment, useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { useReadGroups } from "@/components/use-read-groups";
import { embedSnippets } from "@/lib/environments/embed";
import { ALL_GROUPS, askToCreateGroup, type Group, groupListQuery } from "@/lib/groups/queries";
import { askToRevealToken } from "@/lib/groups/token-queries";
import { RawJson } from "@/lib/json/raw-json";

const CallSnippets = part(
  async () => (await import("@/components/snippets/call-snippets")).CallSnippets,
  <Skeleton className="h-56" />,
);

const EXAMPLE = { user_group_id: "example_1", name: "Example 1", mapping: { 40: "213" }, properties: { plan: "pro" } };
/** How often the last step checks whether the token has been used, in milliseconds. */
const LOOK_MS = 3_000;

/** Replaces the list of an environment without groups: how a token travels, and the three steps to the first use. */
export function FirstRun({ onDone }: { onDone: () => void }) {
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  const kept = useKept();
  const [isCopied, setCopied] = useState(false);
  // A program can create the first group, too.
  const { data } = useQuery({
    ...groupListQuery(slug, ALL_GROUPS),
    refetchInterval: ({ state }) => (state.data?.groups.some(({ lastUsedAt }) => lastUsedAt) ? false : LOOK_MS),
  });
  const group = data?.groups.find(({ lastUsedAt }) => lastUsedAt) ?? data?.groups[0];
  const isUsed = Boolean(group?.lastUsedAt);
  const isPlaced = isCopied || isUsed;
  return (
    <div className="mx-auto flex w-full max-w-203 flex-col gap-4 pt-2 pb-6">
      <div className="flex flex-col gap-1">
        <h2 className="font-semibold text-lg">From your customer to their dashboard</h2>
        <p className="text-text-secondary">
          A user group is one of your customers: your own id, a name, the data sources it sees and the properties its
          dashboards use. Its token tells the dashboard who is viewing.
        </p>
      </div>
      <TokenJourney />
      <StepList>
        <Step
          number={1}
          title="Create a group"
          isDone={group !== undefined}
          isCurrent={group === undefined}
          actions={
            group && (
              <PageLink href={`/${slug}/groups/${group.teamId}`} className={buttonLook({ variant: "ghost" })}>
                Open
              </PageLink>
            )
          }
        >
          <p role="status" className="text-text-secondary">
            {group ? `${group.name} was created.` : !canWrite && "An owner or admin creates user groups."}
          </p>
          {!group && canWrite && <CreateFirst />}
        </Step>
        <Step
          number={2}
          title="Put its token into your page"
          isDone={isPlaced}
          isCurrent={group !== undefined && !isPlaced}
          actions={
            group &&
            canWrite && (
              <CopyButton
                what="embed configuration"
                variant={isPlaced ? "secondary" : "primary"}
                text={async () => {
                  const token = await askToRevealToken(slug, group.teamId, "copy");
                  setCopied(true);
                  return embedOf(group, token);
                }}
              >
                Copy embed
              </CopyButton>
            )
          }
        >
          <p className="text-text-secondary">
            Copy this into the page that shows the dashboard. The names are examples. Your renderer reads the token and
            looks it up with POST /api/viewer.
          </p>
          {group && <CodeSample text={embedOf(group, MASKED_TOKEN)} secret={MASKED_TOKEN} />}
        </Step>
        <SeeItUsed group={group} isCurrent={isPlaced && !isUsed} />
      </StepList>
      {group && (
        <Button className="self-start" onClick={onDone}>
          Show the list
        </Button>
      )}
      <p className="text-text-muted">
        Deleted groups can be restored for {kept}:{" "}
        <PageLink href={`/${slug}/groups/deleted`} className="text-link">
          Recently deleted
        </PageLink>
      </p>
      <FromProgram />
    </div>
  );
}

const embedOf = ({ providedId }: Group, token: string) => embedSnippets({ token, userGroupId: providedId }).html;

function FromProgram() {
  const slug = useEnvironmentSlug();
  const environment = useEnvironment();
  return (
    <details className="rounded-xl border border-border">
      <summary className="cursor-pointer px-5 py-3 font-medium hover:bg-hover">
        Or create groups from your program
      </summary>
      <div className="flex flex-col gap-3 border-border border-t px-5 py-4">
        <CallSnippets group={EXAMPLE} call="getOrCreate" environment={environment?.name} />
        {useCanWrite() && (
          <div className="flex flex-wrap gap-2">
            <PageLink href={`/${slug}/groups/import`} className={buttonLook()}>
              Import a file
            </PageLink>
            <PageLink href={`/${slug}/settings/api-tokens`} className={buttonLook()}>
              Create an API token
            </PageLink>
          </div>
        )}
      </div>
    </details>
  );
}

/** The shortest form: an id and a name. Everything else can be added later. */
function CreateFirst() {
  const slug = useEnvironmentSlug();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (fields: FormData) => {
      const user_group_id = String(fields.get("id"));
      const name = String(fields.get("name")) || user_group_id;
      return askToCreateGroup(slug, { user_group_id, name, mapping: new RawJson("{}", "object"), properties: null });
    },
    onSuccess: useReadGroups(),
  });
  return (
    <form onSubmit={submitted(mutate)} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <TextField
          label="Your id for the customer"
          name="id"
          required
          placeholder="northwind"
          className="w-52 font-mono"
        />
        <TextField label="Name" name="name" placeholder="Northwind Traders" className="w-52" />
        <Button type="submit" variant="primary" disabled={isPending}>
          Create group
        </Button>
      </div>
      {error && <Failure title="The user group was not created" error={error} />}
    </form>
  );
}
