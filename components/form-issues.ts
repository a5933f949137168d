import type { FieldPath, FieldValues, UseFormReturn } from "react-hook-form";
import { ApiError } from "@/lib/api-client";

/** Puts what the server has against single fields on them; false where it has something else to say. */
export function placeIssues<Fields extends FieldValues, Context, Values>(
  error: Error,
  { setError }: UseFormReturn<Fields, Context, Values>,
  names: readonly FieldPath<Fields>[],
): boolean {
  const known = issuesOf(error).flatMap(({ path, message }) => {
    const name = names.find((one) => one === path[0]);
    return name ? [{ name, message }] : [];
  });
  for (const { name, message } of known) setError(name, { message });
  return known.length > 0;
}

/** What the server has against one field of a form. */
export function issueOf(error: Error | null, name: string): string | undefined {
  return sentence(issuesOf(error).find(({ path }) => path[0] === name)?.message);
}

/** What is wrong with a field, which a schema says as the rest of a sentence that begins with its name. */
export function sentence(message: string | undefined): string | undefined {
  return message && `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}

function issuesOf(error: Error | null) {
  return error instanceof ApiError ? error.issues : [];
}
