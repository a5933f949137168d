import { metrics } from "@/lib/operations/metrics";

export const GET = metrics;
