"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { environmentsKey } from "@/lib/environments/queries";
import { sessionQuery } from "@/lib/members/queries";

interface Change<Fields> {
  change: (fields: Fields) => Promise<unknown>;
  onDone: (fields: Fields) => void;
  onRefused?: (error: Error) => void;
}

/** Changes environments, then has everything read again that lists them: the settings, and the switcher in the header. */
export function useEnvironmentChange<Fields>({ change, onDone, onRefused }: Change<Fields>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (_, fields) => onDone(fields),
    onError: (error) => onRefused?.(error),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      return client.invalidateQueries({ queryKey: environmentsKey });
    },
  });
}
