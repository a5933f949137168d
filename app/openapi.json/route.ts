import { noHead } from "@/lib/endpoint/no-head";
import { apiDescription } from "@/lib/openapi/served";

export const GET = apiDescription;

export const HEAD = noHead({ GET });
