import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { GroupFilter } from "@/components/activity/group-filter";
import { TimeFilter } from "@/components/activity/time-filter";
import type { ActivityStateInUrl } from "@/components/activity/use-activity-state";
import { actionInWords, verbOf } from "@/components/activity/words";
import { Button } from "@/components/ui/button";
import { Select } from "@/components/ui/select";
import { useEnvironment, useEnvironmentSlug } from "@/components/use-environment";
import { activityActorsQuery } from "@/lib/audit/queries";

interface ActivityFilterBarProps {
  inUrl: ActivityStateInUrl;
  /** in the history of one user group */
  isOfGroup: boolean;
}

interface Option {
  value: string;
  label: string;
}

export function ActivityFilterBar({ inUrl, isOfGroup }: ActivityFilterBarProps) {
  const { state, narrow, isFiltered, clear } = inUrl;
  const slug = useEnvironmentSlug();
  const environment = useEnvironment();
  const { data, error, refetch } = useQuery(activityActorsQuery(slug));
  const isAll = state.scope === "all" && !isOfGroup;
  const members = data?.members.map(({ id, name }) => ({ value: id, label: name }));
  const apiTokens = data?.apiTokens
    .filter(({ environment }) => isAll || environment === slug)
    .map(({ id, name, environment }) => ({
      value: String(id),
      label: environment === slug ? name : `${name} (${environment})`,
    }));
  const actions = data?.actions
    .filter((action) => !isOfGroup || action.startsWith("user_group."))
    .map((value) => ({ value, label: isOfGroup ? verbOf(value) : actionInWords(value) }));
  return (
    <div className="grid grid-cols-2 gap-2 pb-3 sm:flex sm:flex-wrap sm:items-center">
      <FilterSelect
        label="Member"
        none="All members"
        value={state.member}
        options={members}
        onChange={(member) => void narrow({ member, apiToken: null })}
      />
      <FilterSelect
        label="API token"
        none="All API tokens"
        value={state.apiToken?.toString() ?? null}
        options={apiTokens}
        onChange={(id) => void narrow({ apiToken: id === null ? null : Number(id), member: null })}
      />
      <FilterSelect
        label="Action"
        none="All actions"
        value={state.action}
        options={actions}
        onChange={(action) => void narrow({ action })}
      />
      {!isOfGroup && (
        <Select
          label="Environments"
          value={state.scope}
          onChange={(scope) => void narrow({ scope })}
          options={[
            { value: "environment", label: `In ${environment?.name ?? "this environment"}` },
            { value: "all", label: "In all environments" },
          ]}
          className="min-w-0 sm:w-40"
        />
      )}
      {!isOfGroup && <GroupFilter teamId={state.group} onChange={(group) => void narrow({ group })} />}
      <TimeFilter from={state.from} to={state.to} onChange={(times) => void narrow(times)} />
      {isFiltered && (
        <Button icon={X} variant="ghost" onClick={() => void clear()}>
          Clear filters
        </Button>
      )}
      {error && !data && (
        <p role="alert" className="col-span-2 flex flex-wrap items-center gap-2 text-danger">
          The filter options could not be loaded.
          <Button onClick={() => void refetch()}>Try again</Button>
        </p>
      )}
    </div>
  );
}

interface FilterSelectProps {
  label: string;
  /** the label for no filter */
  none: string;
  value: string | null;
  /** undefined while loading */
  options: Option[] | undefined;
  onChange: (value: string | null) => void;
}

function FilterSelect({ label, none, value, options = [], onChange }: FilterSelectProps) {
  // The value in the URL may be deleted, or not loaded yet.
  const isKnown = value === null || options.some((option) => option.value === value);
  return (
    <Select
      label={label}
      value={value ?? ""}
      onChange={(next) => onChange(next || null)}
      options={[{ value: "", label: none }, ...(isKnown ? [] : [{ value, label: `${label} ${value}` }]), ...options]}
      className="min-w-0 sm:w-40"
    />
  );
}
