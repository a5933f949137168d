import { PRESET_WORDS } from "@/lib/authority/scope-words";
import { ACCESS_SCOPES, PRESETS, type Preset } from "@/lib/authority/scopes";

const NAMES = [
  ...Object.entries(PRESETS).map(([preset, scopes]) => ({ scopes, label: PRESET_WORDS[preset as Preset].label })),
  { scopes: ACCESS_SCOPES.write, label: "Read and write" },
  { scopes: ACCESS_SCOPES.read, label: "Read-only" },
];

/** Whether an API token with these scopes can get itself a new value; revoking one of its values revokes all. */
export const replacesItself = (scopes: readonly string[]) => scopes.includes("api-token:replace");

/** A short name for a set of scopes: its preset, or how many there are. */
export function nameOfScopes(scopes: readonly string[]): string {
  const found = NAMES.find((one) => one.scopes.length === scopes.length && one.scopes.every((s) => scopes.includes(s)));
  return found?.label ?? `${scopes.length} ${scopes.length === 1 ? "scope" : "scopes"}`;
}
