"use client";

import { useState } from "react";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { useEnvironment, useEnvironmentSlug } from "@/components/environments/use-environment";
import { useReadGroups } from "@/components/groups/use-read-groups";
import { formatTime, utcOf } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { useAction } from "@/components/use-action";
import type { Group } from "@/lib/groups/queries";
import { fetchGroup } from "@/lib/groups/queries";
import { askToSetEnd } from "@/lib/groups/state-queries";

/** Sets or clears when a group's access ends. */
export function AccessEnd({ group, onClose }: { group: Group; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const environment = useEnvironment();
  const readAgain = useReadGroups();
  const { name, teamId, accessEndsAt } = group;
  const [local, setLocal] = useState(accessEndsAt ? localOf(accessEndsAt) : "");
  const end = isoOf(local);
  const change = useAction({
    act: () => askToSetEnd(slug, group, end),
    wasDone: async () => (await fetchGroup(slug, String(teamId))).accessEndsAt === end,
    undone: "The end of access has not changed. Try again.",
    failed: "Nothing was changed",
    done: () => ({ title: end ? `Access of “${name}” ends ${formatTime(end)}` : `Access of “${name}” has no end` }),
    onDone: () => {
      onClose();
      return readAgain();
    },
  });
  return (
    <ConfirmDialog
      action={change}
      environment={environment}
      title={`End of access for “${name}”`}
      description="From then on renderers stop serving its dashboards. It keeps its token."
      verb="Save"
      doing="Saving…"
      disabled={end === accessEndsAt}
      onClose={onClose}
    >
      <Field
        label="Access ends (your local time)"
        hint={
          end ? `${utcOf(end)}${Date.parse(end) <= Date.now() ? ": in the past, so access ends now" : ""}` : "Never"
        }
      >
        {(control) => (
          <Input
            {...control}
            type="datetime-local"
            max="9999-12-30T00:00"
            value={local}
            onChange={(event) => setLocal(event.target.value)}
          />
        )}
      </Field>
      {local !== "" && (
        <div>
          <Button onClick={() => setLocal("")}>Clear</Button>
        </div>
      )}
    </ConfirmDialog>
  );
}

/** The local time of a date field; null when it is empty or incomplete. */
function isoOf(local: string): string | null {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

function localOf(at: string): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
