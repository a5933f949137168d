import { useState } from "react";
import { NewFilter } from "@/components/groups/filter-editor";
import { Filters } from "@/components/groups/list-filters";
import { SORTS, VIEWS, viewOf } from "@/components/groups/list-state";
import type { ListInUrl } from "@/components/groups/use-list-state";
import { Button } from "@/components/ui/button";
import { SelectField } from "@/components/ui/select";

/** Views, filters and sort order in one popup, for lack of space. */
export function PhoneFilter(props: ListInUrl & { onClose: () => void }) {
  const { list, show } = props;
  const [isAdding, setAdding] = useState(false);
  const view = viewOf(list);
  if (isAdding) return <NewFilter {...props} />;
  const views: { value: string; label: string }[] = VIEWS.map(({ key, label }) => ({ value: key, label }));
  return (
    <div className="flex flex-col gap-3">
      <SelectField
        label="View"
        value={view?.key ?? "other"}
        onChange={(key) => {
          const chosen = VIEWS.find((one) => one.key === key);
          if (chosen) void show({ state: chosen.state, used: chosen.used });
        }}
        options={view ? views : [...views, { value: "other", label: "Filtered" }]}
      />
      <SelectField
        label="Sort"
        value={list.sort}
        onChange={(sort) => void show({ sort })}
        options={SORTS.map(({ value, label }) => ({ value: value as string, label }))}
      />
      <div className="flex flex-wrap gap-2 empty:hidden">
        <Filters {...props} />
      </div>
      <Button onClick={() => setAdding(true)}>Add filter</Button>
    </div>
  );
}
