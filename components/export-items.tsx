import { CircleStop, FileJson, Table2 } from "lucide-react";
import { MenuItem } from "@/components/ui/menu";
import type { useExport } from "@/components/use-export";

/** The formats of an export, or how to stop a running one. */
export function ExportItems({ isBusy, save, stop }: ReturnType<typeof useExport>) {
  if (isBusy) {
    return (
      <MenuItem icon={CircleStop} onClick={stop}>
        Stop the export
      </MenuItem>
    );
  }
  return (
    <>
      <MenuItem icon={Table2} onClick={() => save("csv")}>
        Export as CSV
      </MenuItem>
      <MenuItem icon={FileJson} onClick={() => save("jsonl")}>
        Export as JSON lines
      </MenuItem>
    </>
  );
}
