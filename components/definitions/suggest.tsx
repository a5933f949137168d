import type { ComponentProps } from "react";
import { groupsIn } from "@/components/count";
import { type Draft, readDraft } from "@/components/definitions/draft";
import { withFailureToast } from "@/components/failure";
import { Button } from "@/components/ui/button";
import { onDemand, useOpen } from "@/components/ui/on-demand";
import { toast } from "@/components/ui/toast";
import { useEnvironmentSlug } from "@/components/use-environment";
import { fetchSuggestedDefinitions } from "@/lib/definitions/queries";

const taking = onDemand(() => import("@/components/definitions/take-suggestions"));
const TakeSuggestions = taking.part("TakeSuggestions");
type Suggested = Pick<ComponentProps<typeof TakeSuggestions>, "groups" | "found">;

/** Suggests rules from the newest groups, to add to the draft in whole or in part. */
export function Suggest({ draft, onTake }: { draft: Draft; onTake: (draft: Draft) => void }) {
  const slug = useEnvironmentSlug();
  const [open, show, close] = useOpen<Suggested>(taking);
  const suggest = () =>
    withFailureToast("Nothing was suggested", async () => {
      const { groups, text } = await fetchSuggestedDefinitions(slug);
      const found = newIn(draft, readDraft(text));
      if (groups === 0) toast({ title: "There are no groups to suggest rules from" });
      else if (Object.values(found).every(({ length }) => length === 0))
        toast({ title: "There is nothing to suggest", description: `The rules already cover ${groupsIn(groups)}.` });
      else await show({ groups, found });
    });
  return (
    <>
      <Button onClick={() => void suggest()}>Suggest rules…</Button>
      {open && (
        <TakeSuggestions
          {...open}
          draft={draft}
          onTake={(next) => {
            onTake(next);
            close();
          }}
          onClose={close}
        />
      )}
    </>
  );
}

/** The rows that a draft lacks. */
function newIn(draft: Draft, { properties, schemas, data_sources }: Draft) {
  const isNew = (own: { id: string }[]) => (row: { id: string }) => !own.some(({ id }) => id === row.id);
  return {
    properties: properties.filter(({ name }) => !draft.properties.some((own) => own.name === name)),
    schemas: schemas.filter(isNew(draft.schemas)),
    data_sources: data_sources.filter(isNew(draft.data_sources)),
  };
}
