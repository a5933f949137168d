"use client";

import { Download } from "lucide-react";
import { CopyButton } from "@/components/copy-button";
import { download } from "@/components/download";
import { Button } from "@/components/ui/button";

/** Codes for when the phone is lost: to look at, to copy, to save. */
export function BackupCodes({ codes }: { codes: string[] }) {
  const text = `${codes.join("\n")}\n`;
  return (
    <>
      <ul
        aria-label="Backup codes"
        className="grid grid-cols-2 gap-x-4 gap-y-1 rounded-md border border-border bg-background px-3 py-2.5 font-mono text-xs"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <CopyButton what="backup codes" text={text}>
          Copy codes
        </CopyButton>
        <Button onClick={() => download("user-groups-backup-codes.txt", text)}>
          <Download aria-hidden />
          Download
        </Button>
      </div>
    </>
  );
}
