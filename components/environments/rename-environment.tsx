import { ConfirmDialog } from "@/components/confirm-dialog";
import { issueOf } from "@/components/form-issues";
import { TextField } from "@/components/ui/text-field";
import { useEnvironmentChange } from "@/components/use-environment-change";
import { askToUpdateEnvironment } from "@/lib/environments/queries";
import type { EnvironmentDetails } from "@/lib/environments/schema";

const nameIn = (fields: FormData) => String(fields.get("name")).trim();

export function RenameEnvironment({ environment, onClose }: { environment: EnvironmentDetails; onClose: () => void }) {
  const { slug, name } = environment;
  const change = useEnvironmentChange<FormData>({
    change: (fields) => askToUpdateEnvironment({ slug, name: nameIn(fields) }),
    isDone: (now, fields) => now.some((one) => one.slug === slug && one.name === nameIn(fields)),
    done: (fields) => ({ title: `The environment is now called “${nameIn(fields)}”` }),
    onClose,
  });
  return (
    <ConfirmDialog
      verb="Save"
      action={change}
      environment={environment}
      title={`Rename ${name}`}
      fields={["name"]}
      onClose={onClose}
    >
      <TextField
        label="Name"
        error={issueOf(change.error, "name")}
        name="name"
        defaultValue={name}
        autoComplete="off"
      />
    </ConfirmDialog>
  );
}
