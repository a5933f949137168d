import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";

/** Asks before unsaved changes are lost. */
export function LeaveForm({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  return (
    <Dialog onClose={onStay} title="Discard your changes?" description="They have not been saved.">
      <DialogActions>
        <Button onClick={onStay}>Keep editing</Button>
        <Button variant="danger" onClick={onLeave}>
          Discard changes
        </Button>
      </DialogActions>
    </Dialog>
  );
}
