import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import type { ActivityFilter } from "@/components/activity/activity-filter-editor";
import { TimeFilter } from "@/components/activity/time-filter";
import type { ActivityStateInUrl } from "@/components/activity/use-activity-state";
import { actionInWords, verbOf } from "@/components/activity/words";
import { FilterChip } from "@/components/filter-chip";
import { Button } from "@/components/ui/button";
import { onDemand } from "@/components/ui/on-demand";
import { Popover } from "@/components/ui/popover";
import { useEnvironmentSlug } from "@/components/use-environment";
import { activityActorsQuery } from "@/lib/audit/queries";

const editor = onDemand(() => import("@/components/activity/activity-filter-editor"));
const ActivityFilterEditor = editor.part("ActivityFilterEditor");

interface ActivityFilterBarProps {
  inUrl: ActivityStateInUrl;
  /** in the history of one user group */
  isOfGroup: boolean;
  /** of the group that is filtered by */
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
  /** The value in the URL may be deleted, or not loaded yet. */
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
      {error && !data && (
        <p role="alert" className="flex w-full flex-wrap items-center gap-2 text-danger">
          The filter options could not be loaded.
          <Button onClick={() => void refetch()}>Try again</Button>
        </p>
      )}
    </div>
  );
}
