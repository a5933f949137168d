"use client";

import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { copyText } from "@/components/copy-button";
import { useEnvironment, useEnvironmentSlug } from "@/components/environments/use-environment";
import { Failure, toastFailure } from "@/components/failure";
import { type BulkDialogProps, groupsIn, Running, useRun } from "@/components/groups/bulk-run";
import { plainText, typedValue } from "@/components/groups/condition";
import { holdsWholeToken } from "@/components/groups/pasted-token";
import { leadIntoSuggestions, Suggestions, shareOf } from "@/components/groups/suggestions";
import { useReadGroups } from "@/components/groups/use-read-groups";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Segmented } from "@/components/ui/segmented";
import { type ToastOptions, toast } from "@/components/ui/toast";
import {
  type BulkChange,
  changeProperty,
  fetchTokenLines,
  foreseeProperty,
  type PropertyChange,
  resumeGroups,
  suspendGroups,
  undoProperty,
} from "@/lib/groups/bulk-queries";
import { summaryQuery } from "@/lib/groups/queries";

/** How long Undo is offered, in milliseconds. */
const UNDO_MS = 20_000;
const MAX_REASON = 255;

/** Offers for a while to undo something. */
function offerUndo(done: ToastOptions, undo: () => Promise<ToastOptions>) {
  const run = async () => {
    try {
      toast(await undo());
    } catch (error) {
      toastFailure("Undo failed", error, { timeout: 0 });
    }
  };
  toast({ ...done, timeout: UNDO_MS, action: { label: "Undo", onClick: () => void run() } });
}

/** Sets or removes a property of many groups, once it is known what that would change. */
export function ChangeProperty({ groups, onClose }: BulkDialogProps) {
  const slug = useEnvironmentSlug();
  const environment = useEnvironment();
  const readAgain = useReadGroups();
  const { data: summary } = useQuery(summaryQuery(slug));
  const [mode, setMode] = useState<"set" | "remove">("set");
  const [name, setName] = useState("");
  const [typed, setTyped] = useState("");
  const [refusal, setRefusal] = useState<string>();
  const check = useRun((change: PropertyChange, options) => foreseeProperty(slug, groups, change, options));
  const run = useRun((change: PropertyChange, options) => changeProperty(slug, groups, change, options));
  const isBusy = check.isPending || run.isPending;
  const property = summary?.properties.find((one) => one.name === name.trim());
  const change = (): PropertyChange | undefined => {
    const trimmed = name.trim();
    if (trimmed === "") return void setRefusal("Choose a property.");
    if (mode === "remove") return { name: trimmed, value: null };
    if (typed.trim() === "") return void setRefusal("Enter a value.");
    const value = typedValue(typed);
    if (value === "null")
      return void setRefusal("null cannot be set for many groups. To remove the property, choose Remove.");
    if (holdsWholeToken(value))
      return void setRefusal("This looks like a token, which does not belong into properties.");
    // Where groups have a text of digits, these digits are that text.
    const isText = property?.values.some((one) => one.value === value) ?? false;
    return { name: trimmed, value: isText ? JSON.stringify(value) : value };
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setRefusal(undefined);
    const wanted = change();
    if (!wanted) return;
    if (!check.data) return check.mutate(wanted);
    run.mutate(wanted, {
      onSuccess: (outcome) => {
        tell(wanted, outcome);
        onClose();
        return readAgain();
      },
    });
  };
  const tell = ({ name: changed, value }: PropertyChange, outcome: BulkChange) => {
    const verb =
      value === null
        ? `no longer ${outcome.changed === 1 ? "has" : "have"}`
        : `now ${outcome.changed === 1 ? "has" : "have"}`;
    const title = `${groupsIn(outcome.changed)} ${verb} ${changed}${value === null ? "" : ` ${plainText(value)}`}`;
    const problems = [
      outcome.failed > 0 && `${groupsIn(outcome.failed)} could not be changed.`,
      outcome.failed > 0 && outcome.refusal,
      outcome.failure?.message,
    ].filter(Boolean);
    const done = { title, ...(problems.length > 0 && { description: problems.join(" ") }) };
    if (outcome.formers.length === 0) return toast(done);
    offerUndo(done, async () => {
      const failed = await undoProperty(slug, changed, outcome.formers);
      await readAgain();
      const undone = outcome.formers.length - failed;
      return { title: `${groupsIn(undone)} ${undone === 1 ? "is" : "are"} as before` };
    });
  };
  /** What was found out no longer holds. */
  const edit = (apply: () => void) => {
    apply();
    check.reset();
    run.reset();
    setRefusal(undefined);
  };
  const tally = check.data;
  return (
    <Dialog
      open
      isHeld={isBusy}
      environment={environment}
      onOpenChange={(open) => !open && onClose()}
      title={`Change a property of ${groupsIn(groups.length)}`}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <fieldset disabled={isBusy} className="flex flex-col gap-4">
          <div>
            <Segmented
              label="What to do"
              value={mode}
              onChange={(next) => edit(() => setMode(next))}
              options={[
                { value: "set", label: "Set" },
                { value: "remove", label: "Remove" },
              ]}
            />
          </div>
          <Field label="Property">
            {(control) => (
              <Input
                {...control}
                value={name}
                onChange={({ target }) => edit(() => setName(target.value))}
                onKeyDown={leadIntoSuggestions}
                autoComplete="off"
                spellCheck={false}
                placeholder="plan"
              />
            )}
          </Field>
          {!property && !tally && (
            <Suggestions
              label="Properties"
              suggestions={(summary?.properties ?? [])
                .filter((one) => one.name.toLowerCase().includes(name.trim().toLowerCase()))
                .slice(0, 5)
                .map((one) => ({
                  key: one.name,
                  label: one.name,
                  note: shareOf(one.groups, summary?.sampled ?? 0),
                  onChoose: () => edit(() => setName(one.name)),
                }))}
            />
          )}
          {mode === "set" && (
            <Field label="Value" hint="Text, a number, true or false. Quotes make it text.">
              {(control) => (
                <Input
                  {...control}
                  value={typed}
                  onChange={({ target }) => edit(() => setTyped(target.value))}
                  autoComplete="off"
                  spellCheck={false}
                />
              )}
            </Field>
          )}
        </fieldset>
        {refusal && (
          <p role="alert" className="text-danger text-xs">
            {refusal}
          </p>
        )}
        {check.error && !check.isPending && !isStop(check.error) && (
          <Failure title="It could not be checked" error={check.error} />
        )}
        {run.error && <Failure title="Nothing was changed" error={run.error} />}
        {tally && !run.isPending && (
          <p role="status">
            <b className="font-medium">{tally.changed.toLocaleString("en")} will change</b>
            {tally.same > 0 &&
              `, ${tally.same.toLocaleString("en")} already ${have(tally.same)} ${mode === "set" ? "it" : "no such property"}`}
            {tally.failed > 0 && `, ${tally.failed.toLocaleString("en")} cannot be changed`}.
            {tally.refusal && ` ${tally.refusal}`}
          </p>
        )}
        {isBusy ? (
          <Running
            label={check.isPending ? "Checking…" : "Changing…"}
            finished={(check.isPending ? check : run).finished}
            all={groups.length}
            onStop={(check.isPending ? check : run).stop}
          />
        ) : (
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" variant="primary" disabled={tally?.changed === 0}>
              {tally ? `Change ${groupsIn(tally.changed)}` : "Check"}
            </Button>
          </DialogActions>
        )}
      </form>
    </Dialog>
  );
}

const have = (count: number) => (count === 1 ? "has" : "have");
const isStop = (error: Error) => error.name === "AbortError";

/** Suspends many groups, with one reason. */
export function SuspendGroups({ groups, onClose }: BulkDialogProps) {
  const slug = useEnvironmentSlug();
  const environment = useEnvironment();
  const readAgain = useReadGroups();
  const run = useRun((reason: string, options) => suspendGroups(slug, groups, { reason, ...options }));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const reason = String(new FormData(event.currentTarget).get("reason") ?? "").trim();
    run.mutate(reason, {
      onSuccess: ({ suspended, failure }) => {
        const title = `${groupsIn(suspended.length)} ${suspended.length === 1 ? "is" : "are"} suspended`;
        const done = { title, ...(failure && { description: failure.message }) };
        if (suspended.length === 0) toast(done);
        else
          offerUndo(done, async () => {
            await resumeGroups(slug, suspended);
            await readAgain();
            return { title: `${groupsIn(suspended.length)} ${suspended.length === 1 ? "is" : "are"} served again` };
          });
        onClose();
        return readAgain();
      },
    });
  };
  return (
    <Dialog
      open
      isHeld={run.isPending}
      environment={environment}
      onOpenChange={(open) => !open && onClose()}
      title={`Suspend ${groupsIn(groups.length)}?`}
      description="Renderers stop serving their dashboards as soon as they ask. They keep their tokens, and you can resume them at any time."
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Reason" hint="Optional. It appears in the history.">
          {(control) => (
            <Input {...control} name="reason" maxLength={MAX_REASON} autoComplete="off" readOnly={run.isPending} />
          )}
        </Field>
        {run.error && <Failure title="Nothing was suspended" error={run.error} />}
        {run.isPending ? (
          <Running label="Suspending…" finished={run.finished} all={groups.length} onStop={run.stop} />
        ) : (
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" variant="primary">
              Suspend
            </Button>
          </DialogActions>
        )}
      </form>
    </Dialog>
  );
}

/** Copies the tokens of many groups; in Production it asks first. */
export function CopyTokens({ groups, onClose }: BulkDialogProps) {
  const slug = useEnvironmentSlug();
  const environment = useEnvironment();
  const run = useRun(async (_: undefined, options) => {
    await copyText(fetchTokenLines(slug, groups, options));
  });
  const copy = () =>
    run.mutate(undefined, {
      onSuccess: () => {
        const title = `Copied ${groups.length.toLocaleString("en")} ${groups.length === 1 ? "token" : "tokens"}`;
        toast({ title, description: "As lines of id, tab and token." });
        onClose();
      },
    });
  const isError = run.error && !isStop(run.error);
  return (
    <Dialog
      open
      isHeld={run.isPending}
      environment={environment}
      onOpenChange={(open) => !open && onClose()}
      title={`Copy ${groups.length === 1 ? "the token" : "the tokens"} of ${groupsIn(groups.length)}?`}
      description="Each line is an id, a tab and a token. Anyone with a token can view the dashboards of its group; the history records that you copied it."
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
    </Dialog>
  );
}
