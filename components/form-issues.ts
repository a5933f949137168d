import type { FieldPath, FieldValues, UseFormReturn } from "react-hook-form";
import { ApiError } from "@/lib/browser/api-client";

/** Puts what the server has against single fields on them; false where it has something else to say. */
export function placeIssues<Fields extends FieldValues, Context, Values>(
  error: Error,
  { setError }: UseFormReturn<Fields, Context, Values>,
  names: readonly FieldPath<Fields>[],
): boolean {
  const known = knownIssues(error, names);
  for (const [index, { name, message }] of known.entries()) setError(name, { message }, { shouldFocus: index === 0 });
  return known.length > 0;
}

/** Whether the server has something against one of these fields. */
export function isAboutFields(error: Error, names: readonly string[]): boolean {
  return knownIssues(error, names).length > 0;
}

function knownIssues<Name extends string>(error: Error, names: readonly Name[]) {
  return issuesOf(error).flatMap(({ path, message }) => {
    const name = names.find((one) => one === path[0]);
    return name ? [{ name, message }] : [];
  });
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
