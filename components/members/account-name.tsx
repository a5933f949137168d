import { useState } from "react";
import { useForm } from "react-hook-form";
import { Failure } from "@/components/failure";
import { placeIssues, sentence } from "@/components/form-issues";
import { lateResolver } from "@/components/late-resolver";
import { roleName } from "@/components/roles";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { toast } from "@/components/ui/toast";
import { useReadAgain } from "@/components/use-read-groups";
import { accountQuery, renameAccount } from "@/lib/members/account-queries";
import { membersKey, sessionQuery } from "@/lib/members/queries";
import type { Account } from "@/lib/members/schema";

const loadResolver = async () => (await import("@/components/members/account-resolvers")).nameResolver;
const resolver = lateResolver(loadResolver);
const loadEarly = () => void loadResolver().catch(() => undefined);

/** The name can be changed here; email and role cannot. */
export function AccountName({ account }: { account: Account }) {
  const readAgain = useReadAgain([accountQuery.queryKey, sessionQuery.queryKey, membersKey]);
  const form = useForm({ resolver, values: { name: account.name } });
  const { register, handleSubmit, formState } = form;
  const [failure, setFailure] = useState<Error>();
  const save = handleSubmit(async ({ name }) => {
    setFailure(undefined);
    try {
      await renameAccount(name);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (!placeIssues(error, form, ["name"])) setFailure(error);
      return;
    }
    toast({ title: "Your name was changed" });
    await readAgain();
  });
  return (
    <form onSubmit={save} onFocus={loadEarly} noValidate className="flex max-w-md flex-col gap-4">
      <Field label="Name" error={sentence(formState.errors.name?.message)}>
        {(control) => <Input {...register("name")} {...control} autoComplete="name" />}
      </Field>
      <dl className="flex flex-wrap gap-x-8 gap-y-3">
        <div className="min-w-0">
          <dt className="font-medium">Email</dt>
          <dd className="break-words text-text-muted">{account.email}</dd>
        </div>
        <div>
          <dt className="font-medium">Role</dt>
          <dd className="text-text-muted">{roleName(account.role)}</dd>
        </div>
      </dl>
      {failure && <Failure title="Your name was not changed" error={failure} />}
      <div>
        <Button type="submit" disabled={formState.isSubmitting || !formState.isDirty}>
          Save name
        </Button>
      </div>
    </form>
  );
}
