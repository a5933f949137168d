import { ConfirmAction } from "@/components/confirm-dialog";
import { otherState } from "@/components/groups/group-use";
import { ReasonField } from "@/components/groups/reason-field";
import { useEnvironmentSlug } from "@/components/use-environment";
import { groupKeys } from "@/components/use-read-groups";
import { fetchGroup } from "@/lib/groups/queries";
import type { GroupReference } from "@/lib/groups/schema";
import { askToSetState, type GroupState } from "@/lib/groups/state-queries";

const SUSPENSION =
  "Renderers that ask this service refuse it immediately, others at their next poll or when its viewer tokens " +
  "expire. It keeps its token, and you can resume it at any time.";

/** Confirms a suspension, with its reason, or the end of one. */
export function ChangeState({ group, to, onClose }: { group: GroupReference; to: GroupState; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const isSuspension = to === "suspended";
  const { name, teamId } = group;
  return (
    <ConfirmAction
      act={(fields) => {
        const reason = String(fields.get("reason") ?? "").trim();
        return askToSetState(slug, group, { state: to, ...(reason && { reason }) });
      }}
      wasDone={async () => otherState(await fetchGroup(slug, String(teamId))) !== to}
      failed={isSuspension ? "Nothing was suspended" : "Nothing was resumed"}
      done={() => ({ title: `“${name}” ${isSuspension ? "is suspended" : "is no longer suspended"}` })}
      reads={groupKeys(slug)}
      title={isSuspension ? `Suspend “${name}”?` : `Resume “${name}”?`}
      description={isSuspension ? SUSPENSION : "Renderers serve its dashboards again, with the same token."}
      verb={isSuspension ? "Suspend" : "Resume"}
      onClose={onClose}
    >
      {isSuspension && <ReasonField name="reason" />}
    </ConfirmAction>
  );
}
