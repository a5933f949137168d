import { ready } from "@/lib/operations/health";

export const GET = ready;
