import type { oas31 } from "zod-openapi";

/** An operation with a GET body, which only some clients can send. */
export type DescribedOperation = oas31.OperationObject & {
  /** the body of a GET; here, because `fetch` cannot send it, and a generated call would always fail */
  "x-request-body"?: oas31.RequestBodyObject;
};

const METHODS = ["GET", "PUT", "PATCH", "POST", "DELETE"] as const;

/** A call with its path and method. */
export interface DescribedCall {
  method: (typeof METHODS)[number];
  path: string;
  operation: DescribedOperation;
}

/** The calls of a description, in its order. */
export function callsIn({ paths = {} }: { paths?: object | undefined }): DescribedCall[] {
  return Object.entries(paths as oas31.PathsObject).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method.toLowerCase() as Lowercase<typeof method>];
      return operation ? [{ method, path, operation }] : [];
    }),
  );
}

/** Resolves a reference; returns anything else as is. */
export function followIn<T extends object>(api: object, thing: T | oas31.ReferenceObject): T {
  if (!("$ref" in thing) || typeof thing.$ref !== "string") return thing as T;
  const steps = thing.$ref.slice(2).split("/");
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], api) as T;
}
