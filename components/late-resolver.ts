import type { FieldValues, Resolver } from "react-hook-form";

/**
 * Checks a form with a resolver that loads once the form is used. If it cannot be loaded, the service's own check
 * remains.
 */
export function lateResolver<Input extends FieldValues, Output>(
  load: () => Promise<Resolver<Input, unknown, Output>>,
): Resolver<Input, unknown, Output> {
  return async (values, ...rest) => {
    const resolver = await load().catch(() => undefined);
    return resolver ? resolver(values, ...rest) : { values: values as unknown as Output, errors: {} };
  };
}
