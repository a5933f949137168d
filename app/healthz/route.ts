import { alive } from "@/lib/http/health";

export const GET = alive;
