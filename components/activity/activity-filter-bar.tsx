import { useQuery } from "@tanstack/react-query";
import { ChevronDown, Plus } from "lucide-react";
import type { ActivityFilter } from "@/components/activity/activity-filter-editor";
import type { ActivityStateInUrl } from "@/components/activity/use-activity-state";
import { actionInWords, verbOf } from "@/components/activity/words";
import { Failure } from "@/components/failure";
import { FilterChip } from "@/components/filter-chip";
import { submitted } from "@/components/submitted";
import { Button } from "@/components/ui/button";
import { onDemand } from "@/components/ui/on-demand";
import { Popover } from "@/components/ui/popover";
import { TimeField } from "@/components/ui/time-field";
import { timeFormat, useZone } from "@/components/ui/time-zone";
import { useEnvironmentSlug } from "@/components/use-environment";
import { activityActorsQuery } from "@/lib/audit/queries";

const editor = onDemand(() => import("@/components/activity/activity-filter-editor"));
const ActivityFilterEditor = editor.part("ActivityFilterEditor");

interface ActivityFilterBarProps {
  inUrl: ActivityStateInUrl;
  /** shown in one user group's history */
  isOfGroup: boolean;
  /** name of the group filtered by */
  groupName: string | undefined;
}

/** The time and the active filters in one line, with a button that adds one. */
export function ActivityFilterBar({ inUrl, isOfGroup, groupName }: ActivityFilterBarProps) {
  const { state, narrow, isFiltered, clear } = inUrl;
  const slug = useEnvironmentSlug();
  const { data, error, refetch } = useQuery(activityActorsQuery(slug));
  const isAll = state.scope === "all" && !isOfGroup;
  const filters: ActivityFilter[] = [
    {
      label: "Action",
      value: state.action,
      options: data?.actions
        .filter((action) => !isOfGroup || action.startsWith("user_group."))
        .map((value) => ({ value, label: isOfGroup ? verbOf(value) : actionInWords(value) })),
      onChange: (action) => void narrow({ action }),
    },
    {
      label: "Member",
      value: state.member,
      options: data?.members.map(({ id, name }) => ({ value: id, label: name })),
      onChange: (member) => void narrow({ member, apiToken: null }),
    },
    {
      label: "API token",
      value: state.apiToken?.toString() ?? null,
      options: data?.apiTokens
        .filter(({ environment }) => isAll || environment === slug)
        .map(({ id, name, environment }) => ({
          value: String(id),
          label: environment === slug ? name : `${name} (${environment})`,
        })),
      onChange: (id) => void narrow({ apiToken: id === null ? null : Number(id), member: null }),
    },
  ];
  if (!isOfGroup) {
    filters.push(
      {
        label: "User group",
        value: state.group?.toString() ?? null,
        onChange: (id) => void narrow({ group: id === null ? null : Number(id) }),
      },
      {
        label: "Environment",
        value: isAll ? "all" : null,
        options: [{ value: "all", label: "All environments" }],
        onChange: (scope) => void narrow({ scope: scope === null ? "environment" : "all" }),
      },
    );
  }
  /** The URL may name something deleted or not loaded yet. */
  const labelOf = ({ label, value, options }: ActivityFilter) =>
    (label === "User group" ? (groupName ?? `team ${value}`) : options?.find((one) => one.value === value)?.label) ??
    String(value);
  return (
    <div className="flex flex-wrap items-center gap-2 pb-3">
      <TimeFilter from={state.from} to={state.to} onChange={(times) => void narrow(times)} />
      <ul aria-label="Filters" className="contents">
        {filters
          .filter(({ value }) => value !== null)
          .map((filter) => (
            <FilterChip
              key={filter.label}
              words={filter.label === "Environment" ? [labelOf(filter)] : [filter.label, "is", labelOf(filter)]}
              onRemove={() => filter.onChange(null)}
            />
          ))}
      </ul>
      <Popover
        needs={editor}
        button={{ icon: Plus, variant: "ghost", className: "px-2!", children: "Filter" }}
        title="Filter the activity"
      >
        {(close) => <ActivityFilterEditor filters={filters} onClose={close} />}
      </Popover>
      {isFiltered && (
        <Button variant="ghost" className="px-2!" onClick={() => void clear()}>
          Clear filters
        </Button>
      )}
      {error && !data && <Failure title="The filters could not be loaded" error={error} onRetry={refetch} />}
    </div>
  );
}

const HOUR_MS = 3_600_000;
const SPANS = [
  { label: "Last hour", hours: 1 },
  { label: "Last day", hours: 24 },
  { label: "Last week", hours: 168 },
  { label: "Last 30 days", hours: 720 },
];
const short = timeFormat({ dateStyle: "medium", timeStyle: "short" });

interface Times {
  from: Date | null;
  to: Date | null;
}

interface TimeFilterProps extends Times {
  onChange: (times: Times) => void;
}

function TimeFilter({ from, to, onChange }: TimeFilterProps) {
  const zone = useZone();
  const label = zone ? inWords({ from, to }) : "Any time";
  return (
    <Popover
      button={{
        className: "max-w-full shrink gap-2 px-2.5 font-normal",
        children: (
          <>
            <span className="truncate">{label}</span>
            <ChevronDown aria-hidden />
          </>
        ),
      }}
      title="Filter by time"
    >
      {(close) => (
        <form
          onSubmit={submitted((fields) => {
            const [from, to] = [readTime(fields.get("from")), readTime(fields.get("to"))];
            onChange(from && to && from > to ? { from: to, to: from } : { from, to });
            close();
          })}
          className="flex flex-col gap-3"
        >
          <div className="grid grid-cols-2 gap-2">
            {SPANS.map(({ label, hours }) => (
              <Button
                key={label}
                onClick={() => {
                  onChange({ from: new Date(Date.now() - hours * HOUR_MS), to: null });
                  close();
                }}
              >
                {label}
              </Button>
            ))}
          </div>
          <TimeField label="From" name="from" stored={from?.toISOString() ?? null} />
          <TimeField label="To" name="to" stored={to?.toISOString() ?? null} />
          <Button type="submit" variant="primary">
            Apply
          </Button>
        </form>
      )}
    </Popover>
  );
}

function inWords({ from, to }: Times): string {
  if (from && to) return `${short.format(from)} to ${short.format(to)}`;
  if (from) return `Since ${short.format(from)}`;
  if (to) return `Until ${short.format(to)}`;
  return "Any time";
}

function readTime(text: FormDataEntryValue | null): Date | null {
  return text ? new Date(String(text)) : null;
}
