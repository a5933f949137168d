import { useId } from "react";
import type { Draft } from "@/components/definitions/draft";
import { ChoiceCards } from "@/components/ui/choice-cards";

interface EnforcementProps {
  draft: Draft;
  onChange: (fields: Pick<Draft, "enforcement"> | Pick<Draft, "creations">) => void;
  readOnly: boolean;
}

const ENFORCEMENT = [
  { value: "off", label: "Off", hint: "Nothing is checked, and no defaults apply." },
  {
    value: "report",
    label: "Report",
    hint: "Every change is accepted. Problems are counted, shown on the group and reported to renderers. Defaults apply.",
  },
  {
    value: "enforce",
    label: "Enforce",
    hint: "A change that adds a problem is refused. Existing problems do not block other changes.",
  },
];
const CREATIONS = [
  {
    value: "report",
    label: "Create it, and report its problems",
    hint: "For pages that create a group when it is first read.",
  },
  { value: "enforce", label: "Refuse it", hint: "The page or program that wanted the group gets an error." },
];

/** What definitions do: to changes, and to new groups. */
export function Enforcement({ draft, onChange, readOnly }: EnforcementProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-4">
      <ChoiceCards
        isRow
        label="When a group has problems"
        name={`${id}-enforcement`}
        options={ENFORCEMENT}
        disabled={readOnly}
        checkedValue={draft.enforcement}
        onChange={({ target }) => onChange({ enforcement: target.value as Draft["enforcement"] })}
      />
      {draft.enforcement === "enforce" && (
        <ChoiceCards
          isRow
          label="When a new group has problems"
          name={`${id}-creations`}
          options={CREATIONS}
          disabled={readOnly}
          checkedValue={draft.creations}
          onChange={({ target }) => onChange({ creations: target.value as Draft["creations"] })}
        />
      )}
    </div>
  );
}
