import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { Failure } from "@/components/failure";
import { sentence } from "@/components/form-issues";
import { lateResolver } from "@/components/late-resolver";
import { authFault } from "@/components/members/auth-fault";
import { NewPassword } from "@/components/members/new-password";
import { SecretInput } from "@/components/secret-input";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { toast } from "@/components/ui/toast";
import { ApiError } from "@/lib/browser/api-client";
import { accountQuery, changePassword } from "@/lib/members/account-queries";
import { sessionQuery } from "@/lib/members/queries";

const loadResolver = async () => (await import("@/components/members/account-resolvers")).passwordResolver;
const resolver = lateResolver(loadResolver);
const loadEarly = () => void loadResolver().catch(() => undefined);

/** Fields by better-auth's error code. */
const FIELDS = new Map<string, "currentPassword" | "newPassword">([
  ["INVALID_PASSWORD", "currentPassword"],
  ["PASSWORD_SOON_GUESSED", "newPassword"],
]);

export function ChangePassword() {
  const client = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  const { register, handleSubmit, formState, reset, setError, watch } = useForm({
    resolver,
    defaultValues: { currentPassword: "", newPassword: "" },
  });
  const { errors, isSubmitting } = formState;
  const [failure, setFailure] = useState<Error>();
  const save = handleSubmit(async (values) => {
    setFailure(undefined);
    try {
      await changePassword(values);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const field = error instanceof ApiError && FIELDS.get(error.code);
      if (field) setError(field, { message: authFault(error) }, { shouldFocus: true });
      else setFailure(error);
      return;
    }
    reset();
    toast({ title: "Your password was changed", description: "All your other sessions have ended." });
    await client.invalidateQueries({ queryKey: accountQuery.queryKey });
  });
  return (
    <form method="post" onSubmit={save} onFocus={loadEarly} noValidate className="flex max-w-md flex-col gap-4">
      <input type="email" hidden readOnly autoComplete="username" value={session?.member.email ?? ""} />
      <Field label="Current password" error={sentence(errors.currentPassword?.message)}>
        {(control) => <SecretInput {...register("currentPassword")} {...control} autoComplete="current-password" />}
      </Field>
      <NewPassword
        register={() => register("newPassword")}
        label="New password"
        error={sentence(errors.newPassword?.message)}
        typed={watch("newPassword")}
        chooser={session?.member}
      />
      <p className="text-text-muted">This signs you out of all other browsers.</p>
      {failure && <Failure title="Your password was not changed" error={failure} />}
      <div>
        <Button type="submit" disabled={isSubmitting}>
          Change password
        </Button>
      </div>
    </form>
  );
}
