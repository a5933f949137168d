"use client";

import { CopyButton } from "@/components/copy-button";
import { Button } from "@/components/ui/button";
import { DialogActions } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";

/** A one-time link, which is shown here and never again: for a sticky dialog. */
export function OneTimeLink({ link, onDone }: { link: string; onDone: () => void }) {
  return (
    <>
      <div className="flex items-center gap-1 rounded-md border border-border bg-background py-1 pr-1 pl-2">
        <code className="min-w-0 flex-1 break-all font-mono text-xs">{link}</code>
        <CopyButton what="link" text={link} />
      </div>
      <Notice tone="warning">
        <p>It is shown only now. Send it by a way that nobody else reads: whoever opens it first may use it.</p>
      </Notice>
      <DialogActions>
        <Button variant="primary" onClick={onDone}>
          Done
        </Button>
      </DialogActions>
    </>
  );
}
