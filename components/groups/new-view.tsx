import { submitted } from "@/components/submitted";
import { Button } from "@/components/ui/button";
import { TextField } from "@/components/ui/text-field";

const LONGEST_NAME = 60;

/** Asks for the name of a new tab. */
export function NewView({ onPin, onClose }: { onPin: (name: string) => void; onClose: () => void }) {
  const submit = submitted((fields) => {
    const name = String(fields.get("name")).trim();
    if (name === "") return;
    onPin(name);
    onClose();
  });
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <p className="text-text-secondary">Keeps this search, its filters and its order as a tab in this browser.</p>
      <TextField label="Name" name="name" required maxLength={LONGEST_NAME} autoComplete="off" />
      <Button type="submit" variant="primary">
        Pin view
      </Button>
    </form>
  );
}
