"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { Breadcrumb } from "@/components/breadcrumb";
import { GroupForm } from "@/components/groups/group-form";
import { NotForReaders } from "@/components/not-for-readers";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { buttonLook } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { toast } from "@/components/ui/toast";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useIsReader } from "@/components/use-member";
import { useReadGroups } from "@/components/use-read-groups";
import { askToCreateGroup } from "@/lib/groups/queries";

const TITLE = "Create user group";
const BLANK = { name: "", mapping: "{}", properties: "null" };

/** Creates a group; its id may be filled in beforehand. */
export function NewGroupPage({ id }: { id: string }) {
  const slug = useEnvironmentSlug();
  const router = useRouter();
  const readAgain = useReadGroups();
  const isReader = useIsReader();
  const [existing, setExisting] = useState<{ teamId: number; name: string }>();
  if (isReader) return <NotForReaders here={TITLE} title={TITLE} what="create user groups" />;
  return (
    <>
      <Breadcrumb inGroups here={TITLE} />
      <PageHeader title={TITLE} />
      <GroupForm
        isNew
        fields={{ user_group_id: id, ...BLANK }}
        onSave={async (values, form, focus) => {
          setExisting(undefined);
          const { created, teamId, name } = await askToCreateGroup(slug, values);
          if (!created) {
            setExisting({ teamId, name });
            focus("user_group_id");
            return;
          }
          form.rebase(form.now().values);
          toast({ title: `“${name}” was created` });
          await readAgain();
          router.push(`/${slug}/groups/${teamId}`);
        }}
      >
        {existing && (
          <Notice tone="warning" role="alert" title="A user group with this id already exists">
            <p>It is called “{existing.name}”. It was not changed.</p>
            <PageLink href={`/${slug}/groups/${existing.teamId}`} className={buttonLook()}>
              Open that group
            </PageLink>
          </Notice>
        )}
      </GroupForm>
    </>
  );
}
