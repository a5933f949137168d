import { useQuery } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { FilterStep } from "@/components/filter-step";
import { holdsToken } from "@/components/pasted-token";
import { leadIntoSuggestions, Suggestions } from "@/components/suggestions";
import { Input } from "@/components/ui/input";
import { Popover } from "@/components/ui/popover";
import { useEnvironmentSlug } from "@/components/use-environment";
import { ALL_GROUPS, type Group, groupListQuery } from "@/lib/groups/queries";

const OFFERED = 8;

/** Chooses a user group by a few letters of its name or id. */
export function GroupChoice({ group, onChoose }: { group: Group; onChoose: (group: Group) => void }) {
  return (
    <Popover
      align="end"
      title="Choose a user group"
      button={{
        className: "min-w-0 max-w-56 gap-2 px-2.5 font-normal",
        children: (
          <>
            <span className="sr-only">User group: </span>
            <span className="truncate">{group.name}</span>
            <ChevronDown aria-hidden />
          </>
        ),
      }}
    >
      {(close) => (
        <Offered
          onChoose={(one) => {
            onChoose(one);
            close();
          }}
        />
      )}
    </Popover>
  );
}

function Offered({ onChoose }: { onChoose: (group: Group) => void }) {
  const [text, setText] = useState("");
  // Tokens must not enter URLs or caches.
  const search = holdsToken(text) ? "" : text.trim();
  const { data, isPlaceholderData } = useQuery(groupListQuery(useEnvironmentSlug(), { ...ALL_GROUPS, search }));
  const suggestions = (data?.groups ?? []).slice(0, OFFERED).map((one) => ({
    key: String(one.teamId),
    label: one.name,
    note: one.providedId,
    onChoose: () => onChoose(one),
  }));
  return (
    <FilterStep chosen={[]} onSubmit={isPlaceholderData ? undefined : suggestions[0]?.onChoose}>
      <Input
        type="search"
        aria-label="Name or id"
        placeholder="Name or id"
        autoComplete="off"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={leadIntoSuggestions}
      />
      {data && suggestions.length === 0 && <p className="px-2 text-text-muted">No group matches “{search}”.</p>}
      <Suggestions label="User groups" suggestions={suggestions} isFirstTaken />
    </FilterStep>
  );
}
