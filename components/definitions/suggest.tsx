"use client";

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

/** Offers definitions that are read off the groups, to review before they are saved. */
export function Suggest({ onSuggested }: SuggestProps) {
  const slug = useEnvironmentSlug();
  const { mutate, isPending } = useMutation({ mutationFn: () => fetchSuggestedDefinitions(slug) });
  const suggest = () =>
    mutate(undefined, {
      onSuccess: ({ groups, text }) => {
        const of = groups === 1 ? "one group" : `${groups.toLocaleString("en")} groups`;
        if (onSuggested(text))
          toast({ title: `Suggested from ${of}`, description: "Review the definitions, then save." });
        else if (groups === 0) toast({ title: "There are no groups to read definitions off" });
        else toast({ title: "There is nothing to suggest", description: `All that ${of} have is defined already.` });
      },
      onError: (error) => toastFailure("Nothing was suggested", error),
    });
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 rounded-lg border border-border px-3 py-2.5">
      <div className="min-w-0">
        <p className="font-medium">Suggestions</p>
        <p className="text-text-muted text-xs">
          Types, what all groups have, and the values they share, read off the newest groups. Nothing is saved before
          you have reviewed it.
        </p>
      </div>
      <Button onClick={suggest} disabled={isPending}>
        Suggest from the groups
      </Button>
    </div>
  );
}
