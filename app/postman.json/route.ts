import { noHead } from "@/lib/endpoint/no-head";
import { postmanCollection } from "@/lib/openapi/served";

export const GET = postmanCollection;

export const HEAD = noHead({ GET });
