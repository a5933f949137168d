import { Download } from "lucide-react";
import { useContext } from "react";
import { CopyButton } from "@/components/copy-button";
import { download } from "@/components/download";
import { SecretCopied } from "@/components/secret-copied";
import { Button } from "@/components/ui/button";

export function BackupCodes({ codes }: { codes: string[] }) {
  const text = textOf(codes);
  const onCopied = useContext(SecretCopied);
  const save = () => {
    download("user-groups-backup-codes.txt", text);
    onCopied(text);
  };
  return (
    <>
      <ul
        aria-label="Backup codes"
        className="grid grid-cols-2 gap-x-4 gap-y-1 rounded-md border border-border bg-sunken px-3 py-2.5 font-mono text-xs"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <CopyButton what="backup codes" text={text}>
          Copy codes
        </CopyButton>
        <Button icon={Download} onClick={save}>
          Download
        </Button>
      </div>
    </>
  );
}

/** The format for copying and downloading. */
export function textOf(codes: string[]): string {
  return `${codes.join("\n")}\n`;
}
