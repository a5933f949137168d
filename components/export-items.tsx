import { CircleStop, FileJson, Table2 } from "lucide-react";
import { MenuItem } from "@/components/ui/menu";
import type { useExport } from "@/components/use-export";

/** The formats of an export, or how to stop a running one. */
export function ExportItems({ isBusy, save, stop }: ReturnType<typeof useExport>) {
  if (isBusy) {
    return (
      <MenuItem onClick={stop}>
        <CircleStop aria-hidden />
        Stop the export
      </MenuItem>
    );
  }
  return (
    <>
      <MenuItem onClick={() => void save("csv")}>
        <Table2 aria-hidden />
        Export as CSV
      </MenuItem>
      <MenuItem onClick={() => void save("jsonl")}>
        <FileJson aria-hidden />
        Export as JSON lines
      </MenuItem>
    </>
  );
}
