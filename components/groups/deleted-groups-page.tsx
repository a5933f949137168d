"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { Breadcrumb } from "@/components/breadcrumb";
import { ConfirmAction } from "@/components/confirm-dialog";
import { EmptyPanel } from "@/components/empty-panel";
import { Failure } from "@/components/failure";
import { useKept } from "@/components/groups/use-kept";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { RelativeTime } from "@/components/relative-time";
import { Button, buttonLook } from "@/components/ui/button";
import { Cell, Table, TableRow } from "@/components/ui/table";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { groupKeys } from "@/components/use-read-groups";
import { askToEraseGroup, askToRestoreGroup, deletedGroupsQuery, isDeleted } from "@/lib/groups/deletion-queries";
import type { DeletedGroup } from "@/lib/groups/deletion-schema";

const COLUMNS = [
  { name: "Name" },
  { name: "Id" },
  { name: "Deleted", className: "w-[24%]" },
  { name: "Erased", className: "w-34" },
  { name: "Restore", className: "w-64" },
];

interface Choice {
  group: DeletedGroup;
  what: "restore" | "erase";
}

/** Deleted groups that can still be restored. */
export function DeletedGroupsPage() {
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  const kept = useKept();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    deletedGroupsQuery(slug),
  );
  const [choice, setChoice] = useState<Choice>();
  const close = () => setChoice(undefined);
  return (
    <>
      <Breadcrumb inGroups here="Recently deleted" />
      <PageHeader
        title="Recently deleted"
        actions={
          <PageLink href={`/${slug}/groups`} className={buttonLook()}>
            User groups
          </PageLink>
        }
      />
      {error && !data ? (
        <Failure title="The deleted user groups could not be loaded" error={error} onRetry={refetch} />
      ) : data?.length === 0 ? (
        <EmptyPanel icon={Trash2} title="No deleted user groups">
          <p>A deleted user group stays here for {kept}, with its token.</p>
        </EmptyPanel>
      ) : (
        <Table
          label="Deleted user groups"
          columns={COLUMNS}
          hasActions={false}
          rows={data?.map((group) => (
            <Row
              key={group.team_id}
              group={group}
              onChoose={canWrite ? (what) => setChoice({ group, what }) : undefined}
            />
          ))}
        />
      )}
      {error && data && (
        <div className="pt-3">
          <Failure title="More could not be loaded" error={error} onRetry={() => void fetchNextPage()} />
        </div>
      )}
      {hasNextPage && !error && (
        <div className="pt-3">
          <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
      {choice?.what === "restore" && <RestoreGroup group={choice.group} onClose={close} />}
      {choice?.what === "erase" && <EraseGroup group={choice.group} onClose={close} />}
    </>
  );
}

interface RowProps {
  group: DeletedGroup;
  /** undefined for members who cannot restore */
  onChoose: ((what: Choice["what"]) => void) | undefined;
}

function Row({ group, onChoose }: RowProps) {
  const { name, provided_id: id, deleted_at: at, deleted_by: by, kept_until: until, is_id_taken: isTaken } = group;
  return (
    <TableRow>
      <Cell line title={name} className="font-medium">
        {name}
      </Cell>
      <Cell line title={id} className="font-mono text-text-muted text-xs">
        {id}
      </Cell>
      <Cell label="Deleted" className="text-text-muted">
        <RelativeTime at={at} />
        {by && ` by ${by.name}`}
      </Cell>
      <Cell label="Erased" className="text-text-muted">
        <RelativeTime at={until} />
      </Cell>
      <Cell line className="@max-4xl:pt-1">
        {onChoose && (
          <span className="flex flex-wrap gap-2">
            <Button aria-label={`${isTaken ? "Replace" : "Restore"} ${name}`} onClick={() => onChoose("restore")}>
              {isTaken ? "Replace…" : "Restore…"}
            </Button>
            <Button aria-label={`Erase for good: ${name}`} className="text-danger" onClick={() => onChoose("erase")}>
              Erase for good…
            </Button>
          </span>
        )}
      </Cell>
      <td className="border-border border-b @max-4xl:hidden" />
    </TableRow>
  );
}

/** Confirms a restoration. If another group now has the id, that group is deleted. */
function RestoreGroup({ group, onClose }: { group: DeletedGroup; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const { name, is_id_taken: isReplacing } = group;
  return (
    <ConfirmAction
      act={() => askToRestoreGroup(slug, group, isReplacing)}
      wasDone={async () => !(await isDeleted(slug, group))}
      failed="Nothing was restored"
      done={() => ({ title: `“${name}” was restored` })}
      reads={groupKeys(slug)}
      title={isReplacing ? `Replace the user group that now has the id of “${name}”?` : `Restore “${name}”?`}
      description={
        isReplacing
          ? "That user group is deleted, and its token stops working immediately. You can restore that one later."
          : "It returns with its token and its history."
      }
      verb={isReplacing ? "Replace" : "Restore"}
      danger={isReplacing}
      onClose={onClose}
    />
  );
}

/** Confirms the permanent erasure of a deleted group. */
function EraseGroup({ group, onClose }: { group: DeletedGroup; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const { name, provided_id: id } = group;
  return (
    <ConfirmAction
      act={() => askToEraseGroup(slug, group)}
      wasDone={async () => !(await isDeleted(slug, group))}
      failed="Nothing was erased"
      done={() => ({ title: `“${name}” was erased for good` })}
      reads={groupKeys(slug)}
      title={`Erase “${name}” for good?`}
      description={
        <>
          Its properties, its mapping and its name are erased, in the history and in imports too. This cannot be undone.
          Backups and exported logs keep their copies.
        </>
      }
      verb="Erase for good"
      danger
      retype={id}
      onClose={onClose}
    />
  );
}
