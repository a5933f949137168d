import { postmanCollection } from "@/lib/http/api-description";

export const GET = postmanCollection;
