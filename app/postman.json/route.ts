import { postmanCollection } from "@/lib/openapi/served";

export const GET = postmanCollection;
