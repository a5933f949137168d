import type { ApiToken } from "@/lib/api-tokens/schema";

export const ACCESS: Record<ApiToken["access"], { label: string; hint: string }> = {
  write: { label: "Read and write", hint: "Gets, creates and updates user groups, and rotates their tokens." },
  read: { label: "Read-only", hint: "Gets existing user groups with their tokens. Changes nothing." },
};
