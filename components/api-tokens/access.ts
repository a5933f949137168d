import type { ApiToken } from "@/lib/api-tokens/schema";

/** What each access is called, and what it allows. */
export const ACCESS: Record<ApiToken["access"], { label: string; hint: string }> = {
  write: { label: "Read and write", hint: "Gets and creates user groups, updates them, rotates their tokens." },
  read: { label: "Read-only", hint: "Gets user groups that exist, with their tokens, and changes nothing." },
};
