import { noHead } from "@/lib/endpoint/no-head";
import { diagnose } from "@/lib/operations/diagnosis";

export const GET = diagnose;

export const HEAD = noHead({ GET });
