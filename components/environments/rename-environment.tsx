import { SettingDialog } from "@/components/confirm-dialog";
import { issueOf } from "@/components/form-issues";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { useEnvironmentChange } from "@/components/use-environment-change";
import { askToUpdateEnvironment } from "@/lib/environments/queries";
import type { EnvironmentDetails } from "@/lib/environments/schema";

const nameIn = (fields: FormData) => String(fields.get("name")).trim();

export function RenameEnvironment({ environment, onClose }: { environment: EnvironmentDetails; onClose: () => void }) {
  const { slug, name } = environment;
  const change = useEnvironmentChange<FormData>({
    change: (fields) => askToUpdateEnvironment({ slug, name: nameIn(fields) }),
    isDone: (now, fields) => now.some((one) => one.slug === slug && one.name === nameIn(fields)),
    done: (fields) => ({ title: `“${nameIn(fields)}” was saved` }),
    onClose,
  });
  return (
    <SettingDialog
      action={change}
      environment={environment}
      title={`Rename ${name}`}
      fields={["name"]}
      onClose={onClose}
    >
      <Field label="Name" error={issueOf(change.error, "name")}>
        {(control) => <Input {...control} name="name" defaultValue={name} autoComplete="off" />}
      </Field>
    </SettingDialog>
  );
}
