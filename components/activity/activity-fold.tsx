import {
  ActivityLine,
  type ActivityLineProps,
  likenessOf,
  Subject,
  subjectText,
  Told,
} from "@/components/activity/activity-row";
import { sentenceOf } from "@/components/activity/words";
import { useEnvironmentSlug } from "@/components/use-environment";
import type { ActivityEntry } from "@/lib/audit/queries";
import { cn } from "@/lib/browser/class-name";

/** Fewer neighbours that read alike stay as they are. */
const LEAST = 3;

type Run = [ActivityEntry, ...ActivityEntry[]];

/** Entries in their order, neighbours that read alike together. */
export function runsOf(entries: ActivityEntry[]): { run: Run; isLong: boolean }[] {
  const runs: Run[] = [];
  for (const entry of entries) {
    const last = runs.at(-1);
    if (last && likenessOf(last[0]) === likenessOf(entry)) last.push(entry);
    else runs.push([entry]);
  }
  return runs.map((run) => ({ run, isLong: run.length >= LEAST }));
}

interface ActivityFoldProps extends ActivityLineProps {
  run: Run;
  open: boolean;
  onToggle: () => void;
}

/** The line in place of many, such as "crm created 12 user groups". */
export function ActivityFold({ run, isOfGroup, isPast, open, onToggle }: ActivityFoldProps) {
  const slug = useEnvironmentSlug();
  const [entry] = run;
  const { group, environment } = entry;
  const names = [...new Map(run.map((one) => [one.teamId ?? subjectText(one), subjectText(one)])).values()];
  const kind = group ? "user groups" : sentenceOf(entry).subject.replace(/^the (.*)$/, "$1s");
  const isCounted = names.length > 1 && kind !== "";
  const isNamed = names.length === 1 && names[0] !== "" && !(isOfGroup && group);
  return (
    <li className={cn("border-border border-b", open && "bg-sunken")}>
      <ActivityLine entry={entry} isPast={isPast} open={open} onToggle={onToggle}>
        <span className="sm:flex sm:gap-x-2">
          <span className="min-w-0">
            <Told entry={entry}>
              {isCounted && (
                <>
                  <b className="font-medium">{`${names.length} ${kind}`}</b>
                  {environment !== null && environment !== slug && ` in ${environment}`}
                </>
              )}
              {isNamed && <Subject entry={entry} />}
            </Told>
            {!isCounted && ` × ${run.length}`}
          </span>
          {names.length > 1 && (
            <span className="min-w-0 shrink-99 truncate text-text-muted max-sm:hidden">{names.join(", ")}</span>
          )}{" "}
          <span className="shrink-0 text-nowrap text-text-muted underline underline-offset-2">
            {open ? "Hide" : `Show ${run.length}`}
          </span>
        </span>
      </ActivityLine>
    </li>
  );
}
