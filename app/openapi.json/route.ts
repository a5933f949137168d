import { apiDescription } from "@/lib/http/api-description";

export const GET = apiDescription;
