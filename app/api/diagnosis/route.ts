import { diagnose } from "@/lib/operations/diagnosis";

export const GET = diagnose;
