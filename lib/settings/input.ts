import type { Call } from "@/lib/endpoint/call";
import { bodyMissing, checkMediaType, decodeBody, readInput, readJson } from "@/lib/endpoint/input";
import { invalidFields } from "@/lib/errors";
import { checkFields } from "@/lib/json/fields";
import { parseMembers } from "@/lib/json/json";
import { isObject } from "@/lib/json/raw-json";
import { type SettingsDocument, settingsDocument, settingsParameters } from "@/lib/settings/schema";

/** The largest body, in bytes: its definitions alone may be as large as other bodies. */
export const MAX_SETTINGS_BYTES = 524_288;

const NO_BODY = new Uint8Array();

/** Settings to apply. */
export interface WantedSettings {
  document: SettingsDocument;
  isDryRun: boolean;
}

/**
 * Reads a request to apply settings.
 * @throws {AppError} `invalid_json`, `body_missing`, `unsupported_media_type` or `invalid_fields`
 */
export async function readWantedSettings(call: Call, body: Uint8Array): Promise<WantedSettings> {
  if (body.length === 0) throw bodyMissing(call);
  checkMediaType(call);
  const query = readInput({ ...call, method: "GET" }, NO_BODY, { schema: settingsParameters, bodyOnGet: false });
  return { document: parseSettings(body, "The body"), isDryRun: query.dry_run === "true" };
}

/**
 * Parses a document of settings; an error message begins with `what`.
 * @throws {AppError} `invalid_json` or `invalid_fields`
 */
export function parseSettings(bytes: Uint8Array, what: string): SettingsDocument {
  const members = readJson(() => parseMembers(decodeBody(bytes, what)), what);
  const { value, issues } = isObject(members)
    ? checkFields(members, settingsDocument)
    : { issues: [{ path: [], message: "the settings must be a JSON object" }] };
  if (issues) throw invalidFields(issues);
  return value;
}
