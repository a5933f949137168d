import { type QueryClient, type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { toastFailure } from "@/components/failure";
import { settle } from "@/components/settle";
import { type ToastOptions, toast } from "@/components/ui/toast";
import { useReadAgain } from "@/components/use-read-groups";

/** How long a dialog without an answer cannot be closed, in milliseconds. */
const SLOW_MS = 5_000;

export interface ActionOptions<Fields, Answer> {
  /** may first check fresh data from `read` */
  act: (fields: Fields, read: QueryClient["fetchQuery"]) => Promise<Answer>;
  /**
   * after a lost answer, checks with fresh data whether the action was done; absent for secrets, which only the answer
   * holds, and for dry runs, which are simply repeated
   */
  wasDone?: (fields: Fields, read: QueryClient["fetchQuery"]) => Promise<boolean>;
  /** the error title: "Nothing was deleted" */
  failed?: string;
  /** what to do after a lost answer if only the answer would say whether it was done */
  undone?: string;
  /** no dialog shows its errors */
  isBare?: boolean;
  /** the success toast; the answer is undefined if it was lost */
  done?: ((fields: Fields, answer: Answer | undefined) => ToastOptions) | undefined;
  /** the toast if the answer came after its dialog closed */
  unseen?: ToastOptions;
  /** closes its dialog once it is done, unless it is closed: another may be open by then */
  onClose?: (answer: Answer | undefined) => unknown;
  onDone?: (answer: Answer | undefined, fields: Fields) => unknown;
  /** what to refetch once it is done or has failed, as others may have changed it too */
  reads?: QueryKey[];
  /** for an answer shown only once: what was made, and what to do if it came after its dialog closed */
  secret?: { made: string; again: string };
  /** `isShown`: its dialog is still open */
  onFailed?: ((error: Error, isShown: boolean) => unknown) | undefined;
}

/** A member's action, from click to outcome. */
export interface Action<Fields = never, Answer = unknown> {
  run: (fields: Fields, onError?: (error: Error) => void) => void;
  /** "slow": sent, and not answered for a while; "lost": the connection broke after it was sent */
  state: "ready" | "sent" | "slow" | "lost";
  error: Error | null;
  failed: string;
  answer: Answer | undefined;
  /** forgets the error */
  forget: () => void;
}

/**
 * Makes a change immediately or not at all, and never retries it by itself. Reports the outcome even if its dialog has
 * closed.
 */
export function useAction<Fields = FormData, Answer = unknown>(
  options: ActionOptions<Fields, Answer>,
): Action<Fields, Answer> {
  const {
    act,
    wasDone = async () => false,
    undone,
    failed = "Nothing was changed",
    isBare = false,
    done,
    secret,
    unseen = secret && { title: secret.made, description: `${LATE}: ${secret.again}.` },
  } = options;
  const { onClose, onDone, reads = [], onFailed } = options;
  const client = useQueryClient();
  const readAgain = useReadAgain(reads);
  const [state, setState] = useState<"sent" | "slow" | "lost">("sent");
  const isShown = useRef(!isBare);
  useEffect(() => {
    isShown.current = !isBare;
    return () => {
      isShown.current = false;
    };
  }, [isBare]);
  const mutationKey = [useId()];
  const { mutate, reset, isPending, error, data } = useMutation({
    mutationKey,
    // No secret is kept once its dialog is gone.
    gcTime: 0,
    mutationFn: async (fields: Fields) => {
      setState("sent");
      const timer = setTimeout(() => setState("slow"), SLOW_MS);
      // It would join a read that began before the change.
      const read: QueryClient["fetchQuery"] = (query) =>
        client.cancelQueries({ ...query, exact: true }).then(() => client.fetchQuery({ ...query, staleTime: 0 }));
      const change = { act: () => act(fields, read), wasDone: () => wasDone(fields, read), failed, undone };
      try {
        return await settle(change, () => {
          clearTimeout(timer);
          setState("lost");
        });
      } finally {
        clearTimeout(timer);
      }
    },
    onSuccess: ({ isLost, answer }, fields) => {
      if (done) {
        const told = done(fields, answer);
        toast({ ...told, ...(isLost && { description: [FOUND, told.description].filter(Boolean).join(" ") }) });
      }
      if (unseen && !isShown.current) toast({ timeout: 0, ...unseen });
      if (isShown.current) onClose?.(answer);
      const reading = readAgain();
      // A secret is shown without waiting for the refetch.
      return Promise.all([onDone?.(answer, fields), !secret && reading]);
    },
    onError: (error) => {
      if (!isShown.current) toastFailure(failed, error);
      void readAgain();
      return onFailed?.(error, isShown.current);
    },
  });
  // Its button can be pressed while it runs: a disabled one would lose the focus.
  const run = (fields: Fields, onError: (error: Error) => void = () => {}) =>
    client.isMutating({ mutationKey }) === 0 && mutate(fields, { onError });
  return { run, state: isPending ? state : "ready", error, failed, answer: data?.answer, forget: reset };
}

const LATE = "The response arrived after the dialog closed and cannot be shown again";
const FOUND = "The response was lost, so the dashboard checked the result.";
