import { useQuery } from "@tanstack/react-query";
import { useId, useMemo, useState } from "react";
import { ActionButtons } from "@/components/action-buttons";
import { ActionDialog } from "@/components/confirm-dialog";
import { FindingTitle, schemaNamesOf } from "@/components/data-model/finding-title";
import { ValueField } from "@/components/data-model/value-field";
import { literalOf } from "@/components/definitions/draft";
import { guidesOf } from "@/components/definitions/guides";
import { Failure } from "@/components/failure";
import { issueOf } from "@/components/form-issues";
import { fixesOf } from "@/components/groups/finding-words";
import { submitted } from "@/components/submitted";
import { Segmented } from "@/components/ui/segmented";
import { Skeleton } from "@/components/ui/skeleton";
import { TextField } from "@/components/ui/text-field";
import { useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useLeadOn } from "@/components/use-lead-on";
import type { HealthFinding } from "@/lib/definitions/findings-schema";
import type { FixVerb } from "@/lib/definitions/fixes";
import { definitionsQuery, parseDefinitions, type StoredDefinitions } from "@/lib/definitions/queries";
import { askToFix, type Fix } from "@/lib/jobs/fix-queries";
import type { JobAnswer } from "@/lib/jobs/schema";
import { closestName } from "@/lib/json/closest-name";
import { rawJson } from "@/lib/json/raw-json";

interface FixFindingProps {
  finding: HealthFinding;
  /** how many groups there are */
  groups: number;
  onClose: () => void;
}

const LABELS: Record<FixVerb, string> = { set: "Set a value", rename_to: "Rename", remove: "Remove" };

/** Asks how to fix a finding, then opens the dry run. */
export function FixFinding({ finding, groups, onClose }: FixFindingProps) {
  const slug = useEnvironmentSlug();
  const leadOn = useLeadOn();
  const { data: stored, error, refetch } = useQuery(definitionsQuery(slug));
  const check = useAction<Fix, JobAnswer>({
    act: (fix) => askToFix(slug, finding.filter, fix),
    failed: "The groups could not be checked",
    unseen: { title: "The groups were checked", description: "Open the dry run from Recent jobs, on the import page." },
    onClose: (answer) => answer && leadOn(`/${slug}/groups/jobs/${answer.job.id}`),
  });
  return (
    <ActionDialog
      action={check}
      title={
        <>
          Fix {finding.member === "mapping" && "schema "}
          <span className="break-all">{finding.name === "" ? '""' : finding.name}</span>
        </>
      }
      description={
        <>
          <FindingTitle finding={finding} schemas={stored && schemaNamesOf(stored)} />{" "}
          {`in ${finding.count.toLocaleString("en")} of ${groups.toLocaleString("en")} groups.`}
        </>
      }
      onClose={onClose}
    >
      {stored ? (
        <FixForm finding={finding} stored={stored} check={check} onClose={onClose} />
      ) : error ? (
        <Failure title="The rules could not be loaded" error={error} onRetry={refetch} />
      ) : (
        <Skeleton className="h-32 rounded-lg" />
      )}
    </ActionDialog>
  );
}

interface FixFormProps extends Pick<FixFindingProps, "finding" | "onClose"> {
  stored: StoredDefinitions;
  check: ReturnType<typeof useAction<Fix, JobAnswer>>;
}

function FixForm({ finding, stored, check, onClose }: FixFormProps) {
  const id = useId();
  const { count, like } = finding;
  const member = finding.member ?? "properties";
  const name = finding.name ?? "";
  const guide = useMemo(() => guidesOf(stored)[member], [stored, member]);
  // Data source ids are strings.
  const type = member === "mapping" ? "string" : (parseDefinitions(stored.text).properties[name]?.type ?? "any");
  const choices = fixesOf(finding).map((value) => ({ value, label: LABELS[value] }));
  const [chosen, setChosen] = useState<FixVerb>(choices[0]?.value ?? "set");
  const [typed, setTyped] = useState("");
  const names = [...guide.rows.keys()];
  const [to, setTo] = useState(like ?? closestName(name, names) ?? "");
  const [refusal, setRefusal] = useState<string>();
  const edit = (apply: () => void) => {
    apply();
    setRefusal(undefined);
  };
  const known = guide.rows.get(name);
  const options = known?.options;
  const wanted = (): Fix | string => {
    if (chosen === "remove") return { remove: true };
    if (chosen === "rename_to") {
      if (to === "") return "Enter the new name.";
      return to === name ? "Enter a different name." : { rename_to: to };
    }
    if (typed === "") return options || type === "boolean" ? "Choose a value." : "Enter a value.";
    const literal = options ? typed : literalOf(type, typed);
    const problems = guide.find(`{${JSON.stringify(name)}:${literal}}`, undefined);
    return problems.find(({ key }) => key === name)?.message ?? { set: rawJson(literal) };
  };
  const submit = submitted(() => {
    const fix = wanted();
    if (typeof fix === "string") setRefusal(fix);
    else check.run(fix);
  });
  const issue = refusal ?? issueOf(check.error, chosen);
  const noun = member === "mapping" ? "schema" : "property";
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <fieldset disabled={check.state !== "ready"} className="flex flex-col gap-4">
        {choices.length > 1 && (
          <Segmented
            label="What to do"
            value={chosen}
            options={choices}
            onChange={(next) => edit(() => setChosen(next))}
          />
        )}
        {chosen === "set" && (
          <ValueField
            member={member}
            name={name}
            type={type}
            options={options}
            value={typed}
            error={issue}
            hint={known?.hint}
            onChange={(value) => edit(() => setTyped(value))}
          />
        )}
        {chosen === "rename_to" && (
          <>
            <TextField
              label="New name"
              hint={`A group that already has that ${noun} is left out.`}
              error={issue}
              value={to}
              onChange={({ target }) => edit(() => setTo(target.value))}
              list={`${id}-names`}
              isLiteral
              className="font-mono"
            />
            <datalist id={`${id}-names`}>
              {names.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          </>
        )}
        {chosen === "remove" && <p>The {noun} and its value are removed from these groups.</p>}
      </fieldset>
      {check.error && !issue && <Failure title={check.failed} error={check.error} />}
      <p className="text-text-muted text-xs">
        Nothing changes yet: the check shows each group before and after, and you can undo what you apply.
      </p>
      <ActionButtons
        action={check}
        verb={`Check ${count.toLocaleString("en")} ${count === 1 ? "group" : "groups"}`}
        onClose={onClose}
      />
    </form>
  );
}
