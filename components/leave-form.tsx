import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";

interface LeaveFormProps {
  onStay: () => void;
  onLeave: () => void;
}

/** Asks before unsaved changes are lost. */
export function LeaveForm({ onStay, onLeave }: LeaveFormProps) {
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
