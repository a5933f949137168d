import { noHead } from "@/lib/endpoint/no-head";
import { metrics } from "@/lib/operations/metrics";

export const GET = metrics;

export const HEAD = noHead({ GET });
