import { apiDescription } from "@/lib/openapi/served";

export const GET = apiDescription;
