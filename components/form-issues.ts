import type { FieldPath, FieldValues, UseFormReturn } from "react-hook-form";
import { ApiError } from "@/lib/browser/api-client";

/** Shows the server's issues at their fields; false if none is about a field. */
export function placeIssues<Fields extends FieldValues, Context, Values>(
  error: Error,
  { setError }: UseFormReturn<Fields, Context, Values>,
  names: readonly FieldPath<Fields>[],
): boolean {
  const known = knownIssues(error, names);
  const wrong = names.filter((one) => known.some(({ name }) => name === one));
  for (const [index, one] of wrong.entries()) {
    const messages = known.flatMap(({ name, message }) => (name === one ? [message] : []));
    setError(one, { message: messages.join("; ") }, { shouldFocus: index === 0 });
  }
  return wrong.length > 0;
}

/** Whether the error is about one of these fields. */
export function isAboutFields(error: Error, names: readonly string[]): boolean {
  return knownIssues(error, names).length > 0;
}

function knownIssues<Name extends string>(error: Error, names: readonly Name[]) {
  return issuesOf(error).flatMap(({ path, message }) => {
    const name = names.find((one) => one === path[0]);
    // A member of the field, such as a property.
    const member = typeof path[1] === "string" ? `${path[1]} ` : "";
    return name ? [{ name, message: member + message }] : [];
  });
}

/** The server's issue with one field. */
export function issueOf(error: Error | null, name: string): string | undefined {
  return sentence(issuesOf(error).find(({ path }) => path[0] === name)?.message);
}

/** Makes a sentence of a schema's message, which is written to follow the field's name. */
export function sentence(message: string | undefined): string | undefined {
  return message && `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}

function issuesOf(error: Error | null) {
  return error instanceof ApiError ? error.issues : [];
}
