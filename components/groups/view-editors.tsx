import type { FormEvent } from "react";
import type { PinnedView } from "@/components/groups/pinned-views";
import { Button } from "@/components/ui/button";
import { TextField } from "@/components/ui/text-field";

const LONGEST_NAME = 60;

interface NameFormProps {
  name?: string;
  action: string;
  onName: (name: string) => void;
  onClose: () => void;
}

function NameForm({ name, action, onName, onClose }: NameFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get("name")).trim();
    if (text === "") return;
    onName(text);
    onClose();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <TextField label="Name" name="name" required maxLength={LONGEST_NAME} defaultValue={name} autoComplete="off" />
      <Button type="submit" variant="primary">
        {action}
      </Button>
    </form>
  );
}

/** Names a list that becomes a tab. */
export function NewView({ onPin, onClose }: { onPin: (name: string) => void; onClose: () => void }) {
  return (
    <div className="flex flex-col gap-3">
      <p className="text-text-secondary">Keeps this search, its filters and its order as a tab in this browser.</p>
      <NameForm action="Pin view" onName={onPin} onClose={onClose} />
    </div>
  );
}

interface EditViewProps {
  view: PinnedView;
  rename: (address: string, name: string) => void;
  remove: (address: string) => void;
  onClose: () => void;
}

/** Renames or removes a tab. */
export function EditView({ view: { name, address }, rename, remove, onClose }: EditViewProps) {
  return (
    <div className="flex flex-col gap-2">
      <NameForm name={name} action="Rename" onName={(text) => rename(address, text)} onClose={onClose} />
      <Button onClick={() => remove(address)}>Remove view</Button>
    </div>
  );
}
