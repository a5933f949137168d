import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useId } from "react";
import { FindingTitle, schemaNamesOf } from "@/components/data-model/finding-title";
import { fixesOf, hintOf } from "@/components/groups/finding-words";
import { addressOf } from "@/components/groups/list-state";
import { PageLink } from "@/components/page-link";
import { shareOf } from "@/components/suggestions";
import { Button } from "@/components/ui/button";
import { onDemand, useOpen } from "@/components/ui/on-demand";
import { Bar } from "@/components/ui/progress";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { cn } from "@/lib/browser/class-name";
import type { FindingKind, FindingsAnswer, HealthFinding } from "@/lib/definitions/findings-schema";
import { definitionsQuery } from "@/lib/definitions/queries";
import { ALL_GROUPS } from "@/lib/groups/queries";

const fixing = onDemand(() => import("@/components/data-model/fix-finding"));
const FixFinding = fixing.part("FixFinding");

/** The service returns at most this many. */
const MAX_FINDINGS = 500;

/** The parts of the page, in order. */
const SECTIONS: { title: string; hint: string; kinds: FindingKind[] }[] = [
  { title: "Missing", hint: "Required by a rule. Dashboards get no value.", kinds: ["missing", "missing_schema"] },
  {
    title: "Not allowed",
    hint: "The rules do not allow the value.",
    kinds: ["wrong_type", "not_in_enum", "unknown_data_source", "data_source_of_other_schema"],
  },
  {
    title: "Not defined or misspelled",
    hint: "Dashboards look for a different name, so they find no value.",
    kinds: ["unknown_property", "unknown_schema"],
  },
  {
    title: "Worth a look",
    hint: "Nothing is wrong with these groups themselves.",
    kinds: ["same_name", "look_alike_id", "unused"],
  },
];

/** Findings by what they mean, the most frequent first. */
export function Findings({ answer: { findings, groups } }: { answer: FindingsAnswer }) {
  const [fixed, fix, close] = useOpen<HealthFinding>(fixing);
  const { data: schemas } = useQuery({ ...definitionsQuery(useEnvironmentSlug()), select: schemaNamesOf });
  return (
    <>
      {SECTIONS.map(({ kinds, ...words }) => {
        const own = findings.filter(({ kind }) => kinds.includes(kind));
        if (own.length === 0) return null;
        return (
          <Section
            key={words.title}
            {...words}
            findings={own}
            groups={groups}
            schemas={schemas}
            isFolded={own.length > LONG && own.length < findings.length}
            onFix={fix}
          />
        );
      })}
      {findings.length >= MAX_FINDINGS && (
        <p className="text-text-muted">There are more: these are the {MAX_FINDINGS} most frequent.</p>
      )}
      {fixed && <FixFinding finding={fixed} groups={groups} onClose={close} />}
    </>
  );
}

interface SectionProps {
  title: string;
  hint: string;
  findings: HealthFinding[];
  groups: number;
  schemas: ReadonlyMap<string, string> | undefined;
  isFolded: boolean;
  onFix: (finding: HealthFinding) => void;
}

/** Longer sections are folded, except an only one. */
const LONG = 8;

function Section({ title, hint, findings, isFolded, ...rows }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <details open={!isFolded} className="group">
        <summary className="flex w-fit cursor-default flex-wrap items-baseline gap-x-2 rounded-sm">
          <ChevronRight aria-hidden className="size-4 self-center text-text-muted group-open:rotate-90" />
          <h2 id={id} className="font-semibold text-base">
            {title} <span className="font-normal text-text-muted tabular-nums">{findings.length}</span>
          </h2>
          <span className="text-text-muted text-xs">{hint}</span>
        </summary>
        {/* biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list that is styled without bullets. */}
        <ul role="list" className="mt-2 overflow-hidden rounded-lg border border-border">
          {findings.map((finding) => (
            <Row key={finding.filter} finding={finding} {...rows} />
          ))}
        </ul>
      </details>
    </section>
  );
}

interface RowProps extends Pick<SectionProps, "groups" | "schemas" | "onFix"> {
  finding: HealthFinding;
}

function Row({ finding, groups, schemas, onFix }: RowProps) {
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  const { filter, kind, count } = finding;
  const hint = hintOf(kind);
  return (
    <li
      className={cn(
        "relative grid min-h-11 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1.5 border-border border-b",
        "px-3 py-1.5 transition-colors [contain-intrinsic-size:auto_45px] [content-visibility:auto]",
        "last:border-b-0 hover:bg-hover sm:grid-cols-[minmax(0,1fr)_120px_52px_96px_52px]",
      )}
    >
      <div className="min-w-0">
        <PageLink
          href={addressOf(slug, { ...ALL_GROUPS, filters: [filter] })}
          className="line-clamp-3 break-words covers-row"
        >
          <FindingTitle finding={finding} schemas={schemas} />
        </PageLink>
        {hint && <p className="text-text-muted text-xs">{hint}</p>}
      </div>
      <div className="col-span-full row-start-2 sm:col-span-1 sm:row-start-auto">
        <Bar aria-hidden value={count / groups} className="h-1.5 w-full text-idle" />
      </div>
      <p className="text-right text-text-secondary tabular-nums max-sm:text-left">{shareOf(count, groups)}</p>
      <p className="text-right text-text-secondary tabular-nums">
        <span className="text-text">{count.toLocaleString("en")}</span> {count === 1 ? "group" : "groups"}
      </p>
      {canWrite && fixesOf(finding).length > 0 && (
        <Button
          size="small"
          className="relative justify-self-end max-sm:col-start-2 max-sm:row-start-1"
          onClick={() => onFix(finding)}
        >
          Fix…
          <span className="sr-only">
            {" "}
            <FindingTitle finding={finding} schemas={schemas} />
          </span>
        </Button>
      )}
    </li>
  );
}
