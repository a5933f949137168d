import { invalidFields } from "@/lib/errors";
import { writeJson } from "@/lib/json/raw-json";
import { type ExactMembers, MAX_TOKEN_BYTES, type TokenViewer } from "@/lib/viewer-tokens/claims";

const MAX_NAMED = 3;

interface Parts {
  variables: ExactMembers;
  mapping: ExactMembers;
  viewer: TokenViewer | undefined;
  content: readonly string[] | undefined;
}

/** Refuses parts that are too large by themselves, before a template inserts them many times. */
export function requirePartsToFit(parts: Parts) {
  requireSize(Math.ceil((Buffer.byteLength(writeJson(parts)) * 4) / 3), parts);
}

/**
 * @throws {AppError} `invalid_fields` that names the largest parts, when a token of `tokenBytes` or more is too large
 */
export function requireSize(tokenBytes: number, parts: Parts) {
  if (tokenBytes <= MAX_TOKEN_BYTES) return;
  const { variables, mapping, ...whole } = parts;
  const sized = (values: object, of: string[]) =>
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => ({ path: [...of, name], bytes: Buffer.byteLength(writeJson(value)) }));
  const sizes = [...sized(variables, ["variables"]), ...sized(mapping, ["mapping"]), ...sized(whole, [])];
  const largest = sizes.toSorted((a, b) => b.bytes - a.bytes).slice(0, MAX_NAMED);
  const why = `the viewer token would have at least ${tokenBytes} bytes, and at most ${MAX_TOKEN_BYTES} are allowed`;
  throw invalidFields(
    largest.length > 0
      ? largest.map(({ path, bytes }) => ({ path, message: `takes ${bytes} bytes: ${why}` }))
      : [{ path: [], message: why }],
  );
}
