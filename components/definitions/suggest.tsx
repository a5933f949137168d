import { useMutation } from "@tanstack/react-query";
import { toastFailure } from "@/components/failure";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import { useEnvironmentSlug } from "@/components/use-environment";
import { fetchSuggestedDefinitions } from "@/lib/definitions/queries";

interface SuggestProps {
  /** takes the suggestion as JSON text; returns whether it has anything new */
  onSuggested: (text: string) => boolean;
}

/** Drafts definitions from the newest groups, to review before they are saved. */
export function Suggest({ onSuggested }: SuggestProps) {
  const slug = useEnvironmentSlug();
  const { mutate, isPending } = useMutation({ mutationFn: () => fetchSuggestedDefinitions(slug) });
  const suggest = () =>
    mutate(undefined, {
      onSuccess: ({ groups, text }) => {
        const of = groups === 1 ? "one group" : `${groups.toLocaleString("en")} groups`;
        if (onSuggested(text)) toast({ title: `Suggested from ${of}`, description: "Review the rules, then save." });
        else if (groups === 0) toast({ title: "There are no groups to draft rules from" });
        else toast({ title: "There is nothing to suggest", description: `The rules already cover ${of}.` });
      },
      onError: (error) => toastFailure("Nothing was suggested", error),
    });
  return (
    <Button onClick={suggest} disabled={isPending}>
      Suggest rules…
    </Button>
  );
}
