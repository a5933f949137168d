import { alive } from "@/lib/operations/health";

export const GET = alive;
