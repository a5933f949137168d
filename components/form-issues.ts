import type { FieldPath, FieldValues, UseFormReturn } from "react-hook-form";
import { ApiError } from "@/lib/browser/api-client";

/** Shows the server's issues at their fields; false if none is about a field. */
export function placeIssues<Fields extends FieldValues, Context, Values>(
  error: Error,
  { setError }: UseFormReturn<Fields, Context, Values>,
  names: readonly FieldPath<Fields>[],
): boolean {
  const issues = issuesByField(error, names);
  for (const [index, [name, message]] of issues.entries()) setError(name, { message }, { shouldFocus: index === 0 });
  return issues.length > 0;
}

/** Whether the error is about one of these fields. */
export function isAboutFields(error: Error, names: readonly string[]): boolean {
  return issuesByField(error, names).length > 0;
}

/** The server's issues with these fields. */
export function issuesByField<Name extends string>(error: Error, names: readonly Name[]): [Name, string][] {
  return names.flatMap((name) => {
    const messages = issuesOf(error).flatMap(({ path: [first, member], message }) =>
      // A member of the field, such as a property, keeps its spelling at the start of the sentence.
      first === name ? [typeof member === "string" ? `${member} ${message}.` : message] : [],
    );
    return messages.length > 0 ? [[name, messages.join(" ")]] : [];
  });
}

/** The server's issue with one field, and with which line of a list. */
export function issueOf(error: Error | null, name: string): string | undefined {
  const { path: [, line] = [], message } = issuesOf(error).find(({ path }) => path[0] === name) ?? {};
  const said = sentence(message);
  return said && typeof line === "number" ? `Line ${line + 1}: ${said}` : said;
}

/**
 * Makes a sentence of a schema's message, which is written to follow the field's name. A message with a full stop is
 * a sentence already.
 */
export function sentence(message: string | undefined): string | undefined {
  if (!message || message.endsWith(".")) return message;
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}

function issuesOf(error: Error | null) {
  return error instanceof ApiError ? error.issues : [];
}
