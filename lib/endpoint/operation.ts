import type { z } from "zod";
import type { ErrorCode } from "@/lib/errors";

/** Named examples, as OpenAPI has them. */
export type Examples = Record<string, { summary?: string; value?: unknown }>;

/**
 * The parts of a public call that only the API's description needs; lib/openapi derives the rest. The schema's examples
 * fill in members that an example lacks.
 */
export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  /** the body, where the endpoint parses it itself */
  body: z.ZodType;
  /** in which cases the body can be omitted */
  bodyNote: string | undefined;
  /** an example of the body */
  requestExample: object;
  requestExamples: Examples;
  /** the query, where it differs from the input */
  query: z.ZodObject;
  /** details of parameters that schemas lack, and honoured headers other than the conditional ones */
  parameters: Record<string, { description?: string; schema?: object }>;
  /** what a success means */
  answered: string;
  answer: z.ZodType;
  /** an example of the answer */
  answerExample: object;
  answerExamples: Examples;
  /** examples of answers that are not JSON, by media type */
  textExamples: Record<string, Examples>;
  /** an example of the answer's ETag, or a description if some answers lack it */
  etag: string | { description: string };
  /** the errors that only some calls have */
  errors: ErrorCode[];
}
