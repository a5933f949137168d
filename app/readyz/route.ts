import { noHead } from "@/lib/endpoint/no-head";
import { ready } from "@/lib/operations/health";

export const GET = ready;

export const HEAD = noHead({ GET });
