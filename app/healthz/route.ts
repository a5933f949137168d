import { noHead } from "@/lib/endpoint/no-head";
import { alive } from "@/lib/operations/health";

export const GET = alive;

export const HEAD = noHead({ GET });
