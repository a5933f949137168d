import { type ReactNode, useEffect, useState } from "react";
import { withFailureToast } from "@/components/failure";
import type { BulkAction } from "@/components/groups/bulk-bar";
import { copyTokens } from "@/components/groups/copy-tokens";
import { onDemand } from "@/components/ui/on-demand";
import { useEnvironment, useEnvironmentSlug } from "@/components/use-environment";
import type { Group } from "@/lib/groups/queries";
import type { GroupReference } from "@/lib/groups/schema";
import type { GroupState } from "@/lib/groups/state-queries";

const deletion = onDemand(() => import("@/components/groups/delete-groups"));
const DeleteGroups = deletion.part("DeleteGroups");
const stateDialog = onDemand(() => import("@/components/groups/change-state"));
const ChangeState = stateDialog.part("ChangeState");
const bulk = onDemand(() => import("@/components/groups/bulk-dialogs"));
const ChangeProperty = bulk.part("ChangeProperty");
const SuspendGroups = bulk.part("SuspendGroups");
const CopyTokens = bulk.part("CopyTokens");
const RotateGroups = bulk.part("RotateGroups");

/** More tokens take a while, and are copied by a dialog with its progress. */
const COPIED_UNASKED = 20;

/** A dialog, with the groups as they were when it was opened. */
type Opened = { what: "state"; group: GroupReference; to: GroupState } | { what: BulkAction; groups: GroupReference[] };

interface ListDialogs {
  selected: GroupReference[];
  /** the page of the list */
  listed: Group[] | undefined;
  onDeleted: () => void;
}

/** The dialogs about rows and about all that is selected. They stay open when a row moves to another page. */
export function useListDialogs({ selected, listed, onDeleted }: ListDialogs) {
  const slug = useEnvironmentSlug();
  const environment = useEnvironment();
  const [open, setOpen] = useState<Opened>();
  const onClose = () => setOpen(undefined);
  const isAny = selected.length > 0;
  useEffect(() => {
    // Before the connection may be lost.
    if (isAny) bulk.load().catch(() => undefined);
  }, [isAny]);
  const remove = async (groups: GroupReference[]) => {
    if (await deletion.loadOrTell()) setOpen({ what: "delete", groups });
  };
  const setState = async (group: GroupReference, to: GroupState) => {
    if (await stateDialog.loadOrTell()) setOpen({ what: "state", group, to });
  };
  const copyNow = () => {
    const options = { signal: new AbortController().signal, onProgress: () => {} };
    return withFailureToast("Nothing was copied", () => copyTokens(slug, selected, options));
  };
  const act = async (what: BulkAction) => {
    if (what === "delete") return remove(selected);
    if (!(await bulk.loadOrTell())) return;
    // A small and harmless one needs no dialog.
    if (what === "tokens" && environment?.tag === "Testing" && selected.length <= COPIED_UNASKED) return copyNow();
    setOpen({ what, groups: selected });
  };
  const shown = (): ReactNode => {
    switch (open?.what) {
      case undefined:
        return null;
      case "state":
        return <ChangeState group={open.group} to={open.to} onClose={onClose} />;
      case "property":
        return <ChangeProperty groups={open.groups} onClose={onClose} />;
      case "suspend":
        return <SuspendGroups groups={open.groups} onClose={onClose} />;
      case "tokens":
        return <CopyTokens groups={open.groups} onClose={onClose} />;
      case "rotate":
        return (
          <RotateGroups
            groups={open.groups}
            onClose={onClose}
            onCopy={(groups) => setOpen({ what: "tokens", groups })}
          />
        );
      case "delete": {
        const one = suspendable(open.groups, listed);
        const suspend = (group: GroupReference) => {
          onClose();
          void setState(group, "suspended");
        };
        return (
          <DeleteGroups
            groups={open.groups}
            onClose={onClose}
            onDeleted={onDeleted}
            onSuspend={one && (() => suspend(one))}
          />
        );
      }
    }
  };
  return { remove, setState, act, shown: shown() };
}

/** What is to be deleted, if it is one group and not suspended as far as the page of the list tells. */
function suspendable([first, ...others]: GroupReference[], listed: Group[] = []): GroupReference | undefined {
  const isSuspended = listed.find(({ teamId }) => teamId === first?.teamId)?.state === "suspended";
  return others.length > 0 || isSuspended ? undefined : first;
}
