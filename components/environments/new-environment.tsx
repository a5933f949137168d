import { zodResolver } from "@hookform/resolvers/zod";
import { useForm } from "react-hook-form";
import { ActionButtons } from "@/components/action-buttons";
import { ActionDialog } from "@/components/confirm-dialog";
import { suggestSlug } from "@/components/environments/suggest-slug";
import { Failure } from "@/components/failure";
import { placeIssues, sentence } from "@/components/form-issues";
import { ChoiceCards } from "@/components/ui/choice-cards";
import { TextField } from "@/components/ui/text-field";
import { useEnvironmentChange } from "@/components/use-environment-change";
import { askToCreateEnvironment } from "@/lib/environments/queries";
import { type NewEnvironment as Fields, newEnvironment } from "@/lib/environments/schema";

const TAGS = [
  {
    value: "Testing",
    label: "Testing",
    hint: "To try things out. API tokens begin with uga_test_. Fewer actions need confirmation.",
  },
  {
    value: "Customer",
    label: "Customer",
    hint: "For groups your customers depend on. API tokens begin with uga_live_. Destructive actions have to be confirmed by typing.",
  },
];
const NAMES = ["name", "slug", "tag"] as const;

export function NewEnvironment({ onClose }: { onClose: () => void }) {
  const form = useForm<Fields>({
    resolver: zodResolver(newEnvironment),
    defaultValues: { name: "", slug: "", tag: "Testing" },
  });
  const { register, formState, setValue, getFieldState } = form;
  const { errors, isSubmitted } = formState;
  const creation = useEnvironmentChange({
    change: askToCreateEnvironment,
    isDone: (now, { slug }) => now.some((one) => one.slug === slug),
    failed: "Nothing was created",
    done: ({ name }) => ({ title: `“${name}” was created` }),
    onClose,
  });
  const suggest = (name: string) => {
    if (getFieldState("slug").isDirty) return;
    setValue("slug", suggestSlug(name), { shouldValidate: isSubmitted });
  };
  const submit = form.handleSubmit((fields) => creation.run(fields, (error) => placeIssues(error, form, NAMES)));
  const isPlaced = NAMES.some((name) => errors[name]);
  return (
    <ActionDialog
      environment={null}
      action={creation}
      onClose={onClose}
      title="Create environment"
      description="It has its own user groups and API tokens. The same id is a different group here."
    >
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Name"
          error={sentence(errors.name?.message)}
          {...register("name", { onChange: (event) => suggest(event.target.value) })}
          autoComplete="off"
        />
        <TextField
          label="Slug"
          hint="Part of its page URLs. It cannot be changed later."
          error={sentence(errors.slug?.message)}
          {...register("slug")}
          isLiteral
          className="font-mono"
        />
        <ChoiceCards label="Tag" options={TAGS} {...register("tag")} />
        <p className="text-text-muted text-xs">
          The API returns the tag as <code className="font-mono">api_environment_tag</code>. It cannot be changed later.
        </p>
        {creation.error && !isPlaced && <Failure title={creation.failed} error={creation.error} />}
        <ActionButtons action={creation} verb="Create environment" onClose={onClose} />
      </form>
    </ActionDialog>
  );
}
