import { diagnose } from "@/lib/http/diagnosis";

export const GET = diagnose;
