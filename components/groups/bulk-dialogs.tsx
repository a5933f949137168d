import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ActionDialog } from "@/components/confirm-dialog";
import { groupsIn } from "@/components/count";
import { Failure, withFailureToast } from "@/components/failure";
import { plainText, typedValue } from "@/components/groups/condition";
import { copyTokens } from "@/components/groups/copy-tokens";
import { type BulkDialogProps, JobDialog, Reasons, Running, useRun } from "@/components/groups/job-dialog";
import { OverlapField, USUAL_OVERLAP } from "@/components/groups/overlap-field";
import { ReasonField } from "@/components/groups/reason-field";
import { useGroupsJob } from "@/components/groups/use-groups-job";
import { useConfirmation } from "@/components/jobs/use-confirmation";
import { holdsToken } from "@/components/pasted-token";
import { leadIntoSuggestions, Suggestions, suggestedProperties } from "@/components/suggestions";
import { Button } from "@/components/ui/button";
import { DialogActions } from "@/components/ui/dialog";
import { FieldError } from "@/components/ui/field";
import { Segmented } from "@/components/ui/segmented";
import { TextField } from "@/components/ui/text-field";
import { useEnvironmentSlug } from "@/components/use-environment";
import { summaryQuery } from "@/lib/groups/queries";
import type { GroupReference } from "@/lib/groups/schema";
import { MAX_TOKENS } from "@/lib/groups/token-queries";
import { fetchChanged } from "@/lib/jobs/queries";
import type { Job } from "@/lib/jobs/schema";

/** A property to set or to remove. */
interface PropertyChange {
  name: string;
  /** JSON text, of no object: one would be merged into another; null removes the property */
  value: string | null;
}

/** Sets or removes a property of many groups, once it is known what that would change. */
export function ChangeProperty({ groups, onClose }: BulkDialogProps) {
  const slug = useEnvironmentSlug();
  const { data: summary } = useQuery(summaryQuery(slug));
  const [mode, setMode] = useState<"set" | "remove">("set");
  const [name, setName] = useState("");
  const [typed, setTyped] = useState("");
  const [refusal, setRefusal] = useState<string>();
  const [checked, setChecked] = useState<PropertyChange>();
  const run = useGroupsJob({ groups, onClose, done: (job) => (checked ? titleOf(checked, job) : "") });
  const tally = run.phase === "asking" ? run.job?.planned : undefined;
  const confirmation = useConfirmation("change", tally?.change ?? 0);
  const property = summary?.properties.find((one) => one.name === name.trim());
  const change = (): PropertyChange | undefined => {
    const trimmed = name.trim();
    if (trimmed === "") return void setRefusal("Choose a property.");
    if (mode === "remove") return { name: trimmed, value: null };
    if (typed.trim() === "") return void setRefusal("Enter a value.");
    const value = typedValue(typed);
    if (value === "null")
      return void setRefusal("null cannot be set for many groups. To remove the property, choose Remove.");
    if (holdsToken(value)) return void setRefusal("This looks like a token, which does not belong in properties.");
    // Where groups have a text of digits, these digits are that text.
    const isText = property?.values.some((one) => one.value === value) ?? false;
    return { name: trimmed, value: isText ? JSON.stringify(value) : value };
  };
  const submit = () => {
    setRefusal(undefined);
    if (run.job) return run.apply(run.job);
    const wanted = change();
    if (!wanted) return;
    setChecked(wanted);
    run.begin(
      wanted.value === null
        ? { mode: "remove", properties: [wanted.name] }
        : { mode: "merge", properties: `{${JSON.stringify(wanted.name)}:${wanted.value}}` },
    );
  };
  /** What was found out no longer holds. */
  const edit = (apply: () => void) => {
    apply();
    run.discard();
    setRefusal(undefined);
  };
  const close = () => {
    run.discard();
    onClose();
  };
  return (
    <JobDialog
      run={run}
      title={`Change a property of ${groupsIn(groups.length)}`}
      doing="Changing…"
      failed={tally ? "Nothing was changed" : "It could not be checked"}
      verb={tally ? `Change ${groupsIn(tally.change)}` : "Check"}
      isDisabled={tally?.change === 0 || !confirmation.isMet}
      onSubmit={submit}
      onClose={close}
    >
      <Segmented
        label="What to do"
        value={mode}
        onChange={(next) => edit(() => setMode(next))}
        options={[
          { value: "set", label: "Set" },
          { value: "remove", label: "Remove" },
        ]}
      />
      <TextField
        label="Property"
        value={name}
        onChange={({ target }) => edit(() => setName(target.value))}
        onKeyDown={leadIntoSuggestions}
        isLiteral
        placeholder="plan"
      />
      {!property && !tally && (
        <Suggestions
          label="Properties"
          suggestions={suggestedProperties(summary, {
            part: name,
            most: 5,
            onChoose: (chosen) => edit(() => setName(chosen)),
          })}
        />
      )}
      {mode === "set" && (
        <TextField
          label="Value"
          hint="Text, a number, true or false. Quotes make it text."
          value={typed}
          onChange={({ target }) => edit(() => setTyped(target.value))}
          isLiteral
        />
      )}
      <FieldError>{refusal}</FieldError>
      {run.job && tally && <Foreseen job={run.job} as={mode === "set" ? "it" : "no such property"} />}
      {confirmation.field}
    </JobDialog>
  );
}

/** What a change would do; groups without a need of it already have what is named. */
function Foreseen({ job, as }: { job: Job; as: string }) {
  const { change, same, error } = job.planned;
  return (
    <div role="status">
      <p>
        <b className="font-medium">{change.toLocaleString("en")} will change</b>
        {same > 0 && `, ${same.toLocaleString("en")} already ${have(same)} ${as}`}
        {error > 0 && `, ${error.toLocaleString("en")} cannot be changed`}.
      </p>
      <Reasons job={job} outcome="error" count={error} />
    </div>
  );
}

const have = (count: number) => (count === 1 ? "has" : "have");

function titleOf({ name, value }: PropertyChange, { done: { changed } }: Job): string {
  const verb = `${value === null ? "no longer" : "now"} ${have(changed)}`;
  return `${groupsIn(changed)} ${verb} ${name}${value === null ? "" : ` ${plainText(value)}`}`;
}

/** Suspends many groups, with one reason. */
export function SuspendGroups({ groups, onClose }: BulkDialogProps) {
  const [typed, setTyped] = useState("");
  const reason = typed.trim();
  const confirmation = useConfirmation("suspend", groups.length);
  const done = ({ done: { changed } }: Job) => `${groupsIn(changed)} ${changed === 1 ? "is" : "are"} suspended`;
  const run = useGroupsJob({ groups, onClose, done });
  return (
    <JobDialog
      run={run}
      title={`Suspend ${groupsIn(groups.length)}?`}
      description={
        <>
          Renderers stop serving their dashboards as soon as they ask. They keep their tokens, and you can resume them
          at any time.
        </>
      }
      failed="Nothing was suspended"
      verb="Suspend"
      isDisabled={!confirmation.isMet}
      onSubmit={() => run.begin({ mode: "suspend", apply: true, ...(reason && { reason }) })}
      onClose={onClose}
    >
      <ReasonField value={typed} onChange={({ target }) => setTyped(target.value)} />
      {confirmation.field}
    </JobDialog>
  );
}

/** Copies the tokens of many groups; in Production it asks first. */
export function CopyTokens({ groups, onClose }: BulkDialogProps) {
  const slug = useEnvironmentSlug();
  const run = useRun((_: undefined, options) => copyTokens(slug, groups, options));
  const copy = () => run.mutate(undefined, { onSuccess: onClose });
  const isError = run.error && run.error.name !== "AbortError";
  return (
    <ActionDialog
      isHeld={run.isPending}
      onClose={onClose}
      title={`Copy ${groups.length === 1 ? "the token" : "the tokens"} of ${groupsIn(groups.length)}?`}
      description={
        <>
          Each line is an id, a tab and a token. Anyone with a token can view the dashboards of its group; the history
          records that you copied it.
        </>
      }
    >
      {isError && <Failure title="Nothing was copied" error={run.error as Error} />}
      {run.isPending ? (
        <Running label="Copying…" finished={run.finished} all={groups.length} onStop={run.stop} />
      ) : (
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" data-first onClick={copy}>
            {groups.length === 1 ? "Copy token" : "Copy tokens"}
          </Button>
        </DialogActions>
      )}
    </ActionDialog>
  );
}

interface RotateGroupsProps extends BulkDialogProps {
  /** leads to copying the new tokens */
  onCopy: (rotated: GroupReference[]) => void;
}

/** Rotates the tokens of many groups. */
export function RotateGroups({ groups, onClose, onCopy }: RotateGroupsProps) {
  const slug = useEnvironmentSlug();
  const [overlap, setOverlap] = useState(USUAL_OVERLAP);
  const run = useGroupsJob({ groups, onClose });
  const confirmation = useConfirmation("rotate", groups.length, overlap === 0);
  const rotated = run.phase === "over" ? (run.job?.done.changed ?? 0) : 0;
  const copy = () =>
    withFailureToast("The new tokens could not be listed", async () => {
      const numbers = await fetchChanged(slug, run.job?.id ?? 0);
      onCopy(groups.filter(({ teamId }) => numbers.has(teamId)));
    });
  return (
    <JobDialog
      run={run}
      title={
        rotated > 0
          ? `${groupsIn(rotated)} ${rotated === 1 ? "has a new token" : "have new tokens"}`
          : `Rotate ${groups.length === 1 ? "the token" : "the tokens"} of ${groupsIn(groups.length)}?`
      }
      description={
        rotated > 0
          ? "Put the new tokens where the dashboards are embedded."
          : "Each group gets a new token, which no one sees until it is copied."
      }
      failed="No token was rotated"
      verb={`Rotate ${groupsIn(groups.length)}`}
      isDanger={run.phase === "asking" && overlap === 0}
      isDisabled={!confirmation.isMet}
      onSubmit={() => run.begin({ mode: "rotate", apply: true, ...(overlap > 0 && { overlap_seconds: overlap }) })}
      onClose={onClose}
      more={
        rotated > 0 &&
        rotated <= MAX_TOKENS && (
          <Button variant={run.job?.can_apply ? "secondary" : "primary"} onClick={() => void copy()}>
            Copy new tokens…
          </Button>
        )
      }
    >
      <OverlapField isMany value={overlap} onChange={setOverlap} />
      {confirmation.field}
    </JobDialog>
  );
}
