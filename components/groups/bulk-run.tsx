import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { DialogActions } from "@/components/ui/dialog";
import { Progress } from "@/components/ui/progress";
import type { GroupReference } from "@/lib/groups/schema";

/** A dialog about the selected groups. */
export interface BulkDialogProps {
  groups: GroupReference[];
  onClose: () => void;
}

/** Runs something in many requests, with its progress and a way to stop it. */
export function useRun<Input, Output>(work: (input: Input, options: RunOptions) => Promise<Output>) {
  const [finished, setFinished] = useState(0);
  const stop = useRef<AbortController>(undefined);
  const mutation = useMutation({
    gcTime: 0,
    mutationFn: (input: Input) => {
      stop.current = new AbortController();
      setFinished(0);
      return work(input, { signal: stop.current.signal, onProgress: setFinished });
    },
  });
  return { ...mutation, finished, stop: () => stop.current?.abort() };
}

interface RunOptions {
  signal: AbortSignal;
  onProgress: (finished: number) => void;
}

interface RunningProps {
  label: string;
  finished: number;
  all: number;
  /** undefined while it cannot be stopped */
  onStop: (() => void) | undefined;
  children?: ReactNode;
}

/** The part of a dialog that shows how far it is. */
export function Running({ label, finished, all, onStop, children }: RunningProps) {
  const note = `${finished.toLocaleString("en")} of ${all.toLocaleString("en")}`;
  return (
    <>
      <Progress label={label} value={all === 0 ? 1 : finished / all} note={note} />
      {children}
      <DialogActions>
        <Button onClick={onStop} disabled={!onStop}>
          Stop
        </Button>
      </DialogActions>
    </>
  );
}
