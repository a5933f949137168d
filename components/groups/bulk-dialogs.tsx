import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmAction } from "@/components/confirm-dialog";
import { copyText } from "@/components/copy-button";
import { groupsIn } from "@/components/count";
import { withFailureToast } from "@/components/failure";
import { plainText, typedValue } from "@/components/groups/condition";
import { type BulkDialogProps, JobDialog } from "@/components/groups/job-dialog";
import { OverlapField, USUAL_OVERLAP } from "@/components/groups/overlap-field";
import { ReasonField } from "@/components/groups/reason-field";
import { useGroupsJob } from "@/components/groups/use-groups-job";
import { useConfirmation } from "@/components/jobs/use-confirmation";
import { holdsToken } from "@/components/pasted-token";
import { leadIntoSuggestions, Suggestions, suggestedProperties } from "@/components/suggestions";
import { FieldError } from "@/components/ui/field";
import { Segmented } from "@/components/ui/segmented";
import { TextField } from "@/components/ui/text-field";
import { toast } from "@/components/ui/toast";
import { useEnvironmentSlug } from "@/components/use-environment";
import { summaryQuery } from "@/lib/groups/queries";
import type { GroupReference } from "@/lib/groups/schema";
import { fetchTokenLines, MAX_TOKENS } from "@/lib/groups/token-queries";
import { jobRowsQuery } from "@/lib/jobs/queries";
import type { Job } from "@/lib/jobs/schema";

/** A property to set or to remove. */
interface PropertyChange {
  name: string;
  /** JSON text, but no object, which would be merged into an existing one; null removes the property */
  value: string | null;
}

/** Sets or removes a property of many groups, after showing what that would change. */
export function ChangeProperty({ groups, onClose }: BulkDialogProps) {
  const slug = useEnvironmentSlug();
  const { data: summary } = useQuery(summaryQuery(slug));
  const [mode, setMode] = useState<"set" | "remove">("set");
  const [name, setName] = useState("");
  const [typed, setTyped] = useState("");
  const [refusal, setRefusal] = useState<string>();
  const [checked, setChecked] = useState<PropertyChange>();
  const run = useGroupsJob({ groups, onClose, done: (job) => ({ title: checked ? titleOf(checked, job) : "" }) });
  const tally = run.job?.state === "checking" ? undefined : run.job?.planned;
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
    // If groups already have these digits as text, text is meant.
    const isText = property?.values.some((one) => one.value === value) ?? false;
    return { name: trimmed, value: isText ? JSON.stringify(value) : value };
  };
  const submit = () => {
    setRefusal(undefined);
    if (run.job && tally) return run.apply(run.job);
    const wanted = change();
    if (!wanted) return;
    setChecked(wanted);
    run.begin(
      wanted.value === null
        ? { mode: "remove", properties: [wanted.name] }
        : { mode: "merge", properties: `{${JSON.stringify(wanted.name)}:${wanted.value}}` },
    );
  };
  /** Applies an edit, which invalidates the dry run. */
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
      failed={tally ? "Nothing was changed" : "The change could not be checked"}
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

/** What a change would do. Unchanged groups already have what `as` names. */
function Foreseen({ job, as }: { job: Job; as: string }) {
  const { change, same, error } = job.planned;
  return (
    <div role="status">
      <p>
        <b className="font-medium">{change.toLocaleString("en")} will change</b>
        {same > 0 && `, ${same.toLocaleString("en")} already ${have(same)} ${as}`}
        {error > 0 && `, ${error.toLocaleString("en")} cannot be changed`}.
      </p>
      {error > 0 && <Reasons job={job} />}
    </div>
  );
}

/** How many groups are named. */
const NAMED = 3;

/** Why groups cannot be changed. */
function Reasons({ job: { id, state, planned } }: { job: Job }) {
  const wanted = { id: String(id), outcome: "error", after: 0, state } as const;
  const { data } = useQuery(jobRowsQuery(useEnvironmentSlug(), wanted));
  const more = planned.error - NAMED;
  return (
    <ul className="break-words">
      {data?.rows.slice(0, NAMED).map(({ line, provided_id, issues }) => (
        <li key={line}>{[provided_id, issues[0]?.path.join("."), issues[0]?.message].filter(Boolean).join(" ")}</li>
      ))}
      {more > 0 && <li>and {more.toLocaleString("en")} more</li>}
    </ul>
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
  const run = useGroupsJob({
    groups,
    onClose,
    done: ({ done: { changed }, planned: { same } }) => ({
      title:
        changed === 0
          ? `${groupsIn(same)} ${same === 1 ? "was" : "were"} already suspended`
          : `${groupsIn(changed)} ${changed === 1 ? "is" : "are"} suspended`,
    }),
  });
  return (
    <JobDialog
      run={run}
      title={`Suspend ${groupsIn(groups.length)}?`}
      description={
        <>
          Renderers that ask this service stop showing their dashboards. The groups keep their tokens, and you can
          resume them at any time.
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

/** Copies the tokens of groups, and says so. */
async function copyTokens(slug: string, groups: GroupReference[]) {
  await copyText(fetchTokenLines(slug, groups));
  const title = `Copied ${groups.length.toLocaleString("en")} ${groups.length === 1 ? "token" : "tokens"}`;
  toast({ title, description: "One line for each group: id, tab, token." });
}

/** Copies the tokens of many groups. */
export function CopyTokens({ groups, onClose }: BulkDialogProps) {
  const slug = useEnvironmentSlug();
  const tokens = groups.length === 1 ? "token" : "tokens";
  return (
    <ConfirmAction
      act={() => copyTokens(slug, groups)}
      failed="Nothing was copied"
      title={`Copy the ${tokens} of ${groupsIn(groups.length)}?`}
      description={
        <>
          Each line is an id, a tab and a token. Anyone with a token can view the dashboards of its group; the history
          records that you copied it.
        </>
      }
      verb={`Copy ${tokens}`}
      onClose={onClose}
    />
  );
}

/** Rotates the tokens of many groups. */
export function RotateGroups({ groups, onClose }: BulkDialogProps) {
  const slug = useEnvironmentSlug();
  const [overlap, setOverlap] = useState(USUAL_OVERLAP);
  const copy = () => withFailureToast("Nothing was copied", () => copyTokens(slug, groups));
  const run = useGroupsJob({
    groups,
    onClose,
    done: ({ done: { changed } }) => ({
      title: `${groupsIn(changed)} ${changed === 1 ? "has a new token" : "have new tokens"}`,
      ...(changed <= MAX_TOKENS && { action: { label: "Copy new tokens", onClick: () => void copy() } }),
    }),
  });
  const confirmation = useConfirmation("rotate", groups.length, overlap === 0);
  return (
    <JobDialog
      run={run}
      title={`Rotate ${groups.length === 1 ? "the token" : "the tokens"} of ${groupsIn(groups.length)}?`}
      description="Each group gets a new token, which no one sees until it is copied."
      failed="No token was rotated"
      verb={`Rotate ${groupsIn(groups.length)}`}
      isDanger={overlap === 0}
      isDisabled={!confirmation.isMet}
      onSubmit={() => run.begin({ mode: "rotate", apply: true, ...(overlap > 0 && { overlap_seconds: overlap }) })}
      onClose={onClose}
    >
      <OverlapField value={overlap} onChange={setOverlap} />
      {confirmation.field}
    </JobDialog>
  );
}
