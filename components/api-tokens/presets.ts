import { ACCESS_SCOPES, PRESETS, type Preset } from "@/lib/db/scopes";

/** What each preset is called, and what a program can do with it. */
export const PRESET_LABELS: Record<Preset, { label: string; hint: string }> = {
  backend: { label: "Backend", hint: "Gets, creates and updates user groups, and rotates their tokens." },
  renderer: { label: "Renderer", hint: "Asks whose token a viewer has. Sees no other group and no token." },
  "read-only": { label: "Read-only", hint: "Gets existing user groups with their tokens. Changes nothing." },
  full: { label: "Full", hint: "Everything an API token can do, deletion included." },
};

const NAMES = [
  ...Object.entries(PRESETS).map(([preset, scopes]) => ({ scopes, label: PRESET_LABELS[preset as Preset].label })),
  { scopes: ACCESS_SCOPES.write, label: "Read and write" },
  { scopes: ACCESS_SCOPES.read, label: "Read-only" },
];

/** A short name for a set of scopes: its preset, or how many there are. */
export function nameOfScopes(scopes: readonly string[]): string {
  const found = NAMES.find((one) => one.scopes.length === scopes.length && one.scopes.every((s) => scopes.includes(s)));
  return found?.label ?? `${scopes.length} ${scopes.length === 1 ? "scope" : "scopes"}`;
}
