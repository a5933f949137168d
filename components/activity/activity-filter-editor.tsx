import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { FilterStep } from "@/components/filter-step";
import { holdsToken } from "@/components/pasted-token";
import { leadIntoSuggestions, type Suggestion, Suggestions } from "@/components/suggestions";
import { Input } from "@/components/ui/input";
import { useEnvironmentSlug } from "@/components/use-environment";
import { ALL_GROUPS, groupListQuery, TEAM_NUMBER } from "@/lib/groups/queries";

/** A filter of the activity. */
export interface ActivityFilter {
  label: "Action" | "Member" | "API token" | "User group" | "Environment";
  /** undefined while loading, and for user groups, which are searched */
  options?: { value: string; label: string; note?: string }[] | undefined;
  /** null for no filter */
  value: string | null;
  onChange: (value: string | null) => void;
}

/** How many user groups are offered. */
const OFFERED = 8;

/** Chooses a filter in two steps, or in one: text typed in the first step searches choices of every kind. */
export function ActivityFilterEditor({ filters, onClose }: { filters: ActivityFilter[]; onClose: () => void }) {
  const [kind, setKind] = useState<ActivityFilter["label"]>();
  const [text, setText] = useState("");
  const wanted = text.trim();
  const groups = useGroupOptions(wanted, kind === "User group" || (!kind && wanted !== ""));
  const choose = (next: ActivityFilter["label"] | undefined) => {
    setKind(next);
    setText("");
  };
  const choicesOf = ({ label: of, options, onChange }: ActivityFilter): Suggestion[] =>
    (of === "User group" ? groups : (options ?? []).filter(({ label }) => isIn(label, wanted))).map(
      ({ value, label, note }) => ({
        key: `${of} ${value}`,
        label,
        note: note ?? (kind ? "" : of),
        onChoose: () => {
          onChange(value);
          onClose();
        },
      }),
    );
  const suggestions =
    kind || wanted !== ""
      ? filters.filter(({ label }) => !kind || label === kind).flatMap(choicesOf)
      : filters.map(({ label }) => ({ key: label, label, onChoose: () => choose(label) }));
  return (
    <FilterStep
      key={kind}
      chosen={kind ? [{ text: kind, what: "filter", onChange: () => choose(undefined) }] : []}
      onSubmit={() => wanted !== "" && suggestions[0]?.onChoose()}
    >
      <Input
        aria-label={kind ?? "Filter by"}
        placeholder={kind === "User group" ? "Name, id or team number" : "Filter by…"}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={leadIntoSuggestions}
        isLiteral
      />
      <Suggestions label="Choices" suggestions={suggestions} isFirstTaken={wanted !== ""} />
    </FilterStep>
  );
}

/** The groups that match a text, and the team with that number, which may be deleted. */
function useGroupOptions(search: string, isWanted: boolean): NonNullable<ActivityFilter["options"]> {
  const slug = useEnvironmentSlug();
  const isSearch = isWanted && !holdsToken(search);
  const list = groupListQuery(slug, { ...ALL_GROUPS, search });
  const { data, isPlaceholderData } = useQuery({ ...list, enabled: isSearch });
  const found = (isSearch && data?.groups) || [];
  return [
    ...(TEAM_NUMBER.test(search) ? [{ value: search, label: `Team ${search}` }] : []),
    ...found
      // Enter takes the first, so groups that match only an earlier text are dropped.
      .filter(({ name, providedId }) => !isPlaceholderData || [name, providedId].some((one) => isIn(one, search)))
      .slice(0, OFFERED)
      .map(({ teamId, name, providedId }) => ({ value: String(teamId), label: name, note: providedId })),
  ];
}

function isIn(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}
