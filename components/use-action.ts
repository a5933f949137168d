"use client";

import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { toastFailure } from "@/components/failure";
import { settle } from "@/components/settle";
import { type ToastOptions, toast } from "@/components/ui/toast";

/** How long an answer may take before the dialog that waits for it can be closed, in milliseconds. */
const SLOW_MS = 5_000;

interface Options<Fields, Answer> {
  act: (fields: Fields) => Promise<Answer>;
  /** reads whether it was done, where the answer was lost */
  wasDone: (fields: Fields) => Promise<boolean>;
  /** what to say then where it was not: "“Acme” is still there." */
  undone: string | ((fields: Fields) => string);
  /** the title of what went wrong: "Nothing was deleted" */
  failed: string;
  /** whether no dialog shows what went wrong */
  isBare?: boolean;
  /** says that it was done; the answer is undefined where it was lost */
  done?: ((fields: Fields, answer: Answer | undefined) => ToastOptions) | undefined;
  /** says that the answer came after the dialog that would have shown it was closed */
  unseen?: ToastOptions;
  onDone?: (answer: Answer | undefined, fields: Fields) => unknown;
  onFailed?: ((error: Error) => unknown) | undefined;
}

/** Something that a member does, from the click to its outcome. */
export interface Action<Fields = never, Answer = unknown> {
  run: (fields: Fields, onError?: (error: Error) => void) => void;
  /** "slow": sent, and not answered for a while; "lost": the connection broke after it was sent */
  state: "ready" | "sent" | "slow" | "lost";
  error: Error | null;
  failed: string;
  answer: Answer | undefined;
}

/**
 * Does something that changes what the service holds: at once or not at all, and never again by itself. Its outcome is told
 * even where the dialog that asked for it was closed.
 */
export function useAction<Fields = FormData, Answer = unknown>(
  options: Options<Fields, Answer>,
): Action<Fields, Answer> {
  const { act, wasDone, undone, failed, isBare = false, done, unseen, onDone, onFailed } = options;
  const [state, setState] = useState<"sent" | "slow" | "lost">("sent");
  const isShown = useRef(!isBare);
  useEffect(() => {
    isShown.current = !isBare;
    return () => {
      isShown.current = false;
    };
  }, [isBare]);
  const { mutate, isPending, error, data } = useMutation({
    // Nothing keeps a secret once what shows it is gone.
    gcTime: 0,
    mutationFn: async (fields: Fields) => {
      setState("sent");
      const timer = setTimeout(() => setState("slow"), SLOW_MS);
      const change = {
        act: () => act(fields),
        wasDone: () => wasDone(fields),
        undone: typeof undone === "string" ? undone : undone(fields),
      };
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
      return onDone?.(answer, fields);
    },
    onError: (error) => {
      if (!isShown.current) toastFailure(failed, error);
      return onFailed?.(error);
    },
  });
  const run = (fields: Fields, onError: (error: Error) => void = () => {}) => mutate(fields, { onError });
  return { run, state: isPending ? state : "ready", error, failed, answer: data?.answer };
}

const FOUND = "The answer was lost, so the dashboard checked the result.";
