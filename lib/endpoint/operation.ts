import type { z } from "zod";
import type { ErrorCode } from "@/lib/errors";

/** Named examples, as OpenAPI has them. */
export type Examples = Record<string, { summary?: string; value?: unknown }>;

/**
 * What a public call declares for the API's description only: lib/openapi derives the rest. What an example lacks is
 * taken from those of the schema.
 */
export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  /** the body, where the endpoint parses it itself */
  body: z.ZodType;
  /** when the body can be left out */
  bodyNote: string | undefined;
  /** an example of the body */
  requestExample: object;
  requestExamples: Examples;
  /** the query, where the input says nothing of it, or something else */
  query: z.ZodObject;
  /** what schemas do not say of parameters, and the honoured headers that are not among the conditions */
  parameters: Record<string, { description?: string; schema?: object }>;
  /** what a success means */
  answered: string;
  answer: z.ZodType;
  /** an example of the answer */
  answerExample: object;
  answerExamples: Examples;
  /** examples of answers that are not JSON, by media type */
  textExamples: Record<string, Examples>;
  /** an example of the answer's ETag, or what it means where an answer can lack it */
  etag: string | { description: string };
  /** the errors that only some calls have */
  errors: ErrorCode[];
}
