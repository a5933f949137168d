import { useRouter } from "next/navigation";
import { AccessEnd } from "@/components/groups/access-end";
import { ChangeId } from "@/components/groups/change-id";
import { ChangeState } from "@/components/groups/change-state";
import { DeleteGroups } from "@/components/groups/delete-groups";
import { EndOverlap } from "@/components/groups/end-overlap";
import { otherState } from "@/components/groups/group-use";
import { RotateToken } from "@/components/groups/rotate-token";
import { useEnvironmentSlug } from "@/components/use-environment";
import { EndViews } from "@/components/viewer-tokens/end-views";
import { NoPreview } from "@/components/viewer-tokens/no-preview";
import type { Group } from "@/lib/groups/queries";

/** The dialogs of a group's page, by what they do; the states are what they change it to. */
export type GroupDialog =
  | "rotate"
  | "end overlap"
  | "delete"
  | "suspended"
  | "active"
  | "end"
  | "id"
  | "end views"
  | "no preview";

interface GroupDialogsProps {
  group: Group;
  open: GroupDialog;
  onOpen: (dialog: GroupDialog) => void;
  onClose: () => void;
}

export function GroupDialogs({ group, open, onOpen, onClose }: GroupDialogsProps) {
  const slug = useEnvironmentSlug();
  const router = useRouter();
  switch (open) {
    case "rotate":
      return <RotateToken group={group} onClose={onClose} />;
    case "end overlap":
      return <EndOverlap group={group} onClose={onClose} />;
    case "suspended":
    case "active":
      return <ChangeState group={group} to={open} onClose={onClose} />;
    case "end":
      return <AccessEnd group={group} onClose={onClose} />;
    case "id":
      return <ChangeId group={group} onClose={onClose} />;
    case "end views":
      return <EndViews group={group} onClose={onClose} />;
    case "no preview":
      return <NoPreview onClose={onClose} />;
    case "delete":
      return (
        <DeleteGroups
          groups={[group]}
          onClose={onClose}
          onSuspend={otherState(group) === "suspended" ? () => onOpen("suspended") : undefined}
          onDeleted={() => router.push(`/${slug}/groups`)}
        />
      );
  }
}
