"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Breadcrumb } from "@/components/breadcrumb";
import { Failure } from "@/components/failure";
import { GroupForm } from "@/components/groups/group-form";
import { NotForReaders } from "@/components/not-for-readers";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { buttonLook } from "@/components/ui/button";
import { leave } from "@/components/ui/leave-guard";
import { Notice } from "@/components/ui/notice";
import { SelectField } from "@/components/ui/select";
import { Skeleton } from "@/components/ui/skeleton";
import { toast } from "@/components/ui/toast";
import { isSame } from "@/components/unchanged";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useLeadOn } from "@/components/use-lead-on";
import { useIsReader } from "@/components/use-member";
import { useReadGroups } from "@/components/use-read-groups";
import { askToCreateGroup, type Group, groupQuery } from "@/lib/groups/queries";
import { sessionQuery } from "@/lib/members/queries";

const TITLE = "Create user group";
const BLANK = { name: "", mapping: "{}", properties: "null" };

interface NewGroupPageProps {
  /** prefilled */
  id: string;
  /** the environment and the team number of a group to copy, as in "production/12"; empty for none */
  from: string;
}

/** Creates a group, perhaps as a copy. */
export function NewGroupPage({ id, from }: NewGroupPageProps) {
  const slug = useEnvironmentSlug();
  const leadOn = useLeadOn();
  const readAgain = useReadGroups();
  const isReader = useIsReader();
  const [existing, setExisting] = useState<{ teamId: number; name: string }>();
  const [place = "", team = ""] = from.split("/");
  const { data: source, error, refetch } = useQuery({ ...groupQuery(place, team), enabled: from !== "" });
  if (isReader) return <NotForReaders title={TITLE} what="create user groups" />;
  return (
    <>
      <Breadcrumb inGroups here={TITLE} />
      <PageHeader title={TITLE}>
        {source && `Starts with the properties and mapping of “${source.name}”, and gets its own token.`}
      </PageHeader>
      {error && <Failure title="The user group to copy could not be loaded" error={error} onRetry={refetch} />}
      {from !== "" && !source && !error && <Skeleton className="h-52 rounded-lg" />}
      {(from === "" || source) && (
        <GroupForm
          key={slug}
          isNew
          fields={source ? copyOf(source, place === slug) : { ...BLANK, user_group_id: id }}
          onSave={async (values, form, focus) => {
            setExisting(undefined);
            const sent = form.now().values;
            const { created, teamId, name } = await askToCreateGroup(slug, values);
            if (!created) {
              setExisting({ teamId, name });
              focus("user_group_id");
              return;
            }
            form.rebase(sent, sent);
            toast({ title: `“${name}” was created` });
            await readAgain();
            // Anything typed in the meantime is asked about.
            leadOn(`/${slug}/groups/${teamId}`, isSame(form.now().values, sent) ? undefined : leave);
          }}
        >
          {source && <Target from={from} />}
          {existing && (
            <Notice tone="warning" role="alert" title="A user group with this id already exists">
              <p>It is called “{existing.name}”. It was not changed.</p>
              <PageLink href={`/${slug}/groups/${existing.teamId}`} className={buttonLook()}>
                Open that group
              </PageLink>
            </Notice>
          )}
        </GroupForm>
      )}
    </>
  );
}

/** A copy in the same environment needs another id; in another one it is the same customer. */
function copyOf({ providedId, name, mapping, properties }: Group, isDuplicate: boolean) {
  return {
    ...(isDuplicate ? { user_group_id: "", name: `${name} (copy)` } : { user_group_id: providedId, name }),
    mapping,
    properties: properties ?? "null",
  };
}

/** Where a copy is created. */
function Target({ from }: { from: string }) {
  const slug = useEnvironmentSlug();
  const router = useRouter();
  const { data: session } = useQuery(sessionQuery);
  return (
    <div className="md:max-w-88">
      <SelectField
        label="Environment"
        value={slug}
        onChange={(chosen) => leave(() => router.replace(`/${chosen}/groups/new?from=${from}`))}
        options={(session?.environments ?? []).map(({ slug, name }) => ({ value: slug, label: name }))}
      />
    </div>
  );
}
