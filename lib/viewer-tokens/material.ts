import { perProcess, sharing } from "@/lib/config/per-process";
import { read, statement } from "@/lib/db/pool";
import { environmentDeleted } from "@/lib/errors";
import { isSecretSigned } from "@/lib/viewer-tokens/claims";
import { openKey, type SigningKey } from "@/lib/viewer-tokens/key";
import { createFirstKey } from "@/lib/viewer-tokens/keys";
import { settingsIn, type ViewerSettings } from "@/lib/viewer-tokens/settings-schema";

/** The keys and settings with which an environment's viewer tokens are made. */
interface Material {
  /** the environment's `viewer_version`, which increases with every change of the settings or keys */
  version: number;
  settings: ViewerSettings;
  /** usable keys, newest first */
  keys: SigningKey[];
}

interface MaterialRow {
  viewer_version: number;
  viewer_settings: string | null;
  allowed_origins: string[] | null;
  kid: string | null;
  template: string | null;
  private_sealed: Buffer;
  public_jwk: string | null;
  signs_from: number;
}

const READ_MATERIAL = statement("read_viewer_material")`
  SELECT e.viewer_version, e.viewer_settings, e.allowed_origins, k.kid, k.template, k.private_sealed, k.public_jwk,
    (extract(epoch FROM k.signs_from) * 1000)::float8 AS signs_from
  FROM environment e
  LEFT JOIN viewer_key k ON k.environment_id = e.id AND k.revoked_at IS NULL
    AND (k.ends_at IS NULL OR k.ends_at > now())
  WHERE e.id = $1 ORDER BY k.signs_from DESC, k.kid`;

/** How long to cache, only so that ended keys are dropped: the version shows all changes. */
const LONGEST_MS = 60_000;

interface Kept {
  material: Material;
  /** by performance.now() */
  at: number;
}

const kept = perProcess("viewer token material", () => new Map<number, Kept>());
const shareMaterial = sharing("reads of viewer token material", readMaterial);

/**
 * The keys and settings of an environment, read again when the cached version is not `version`, which the group's
 * look-up returned.
 * @throws {AppError} `unavailable`
 */
export async function materialOf(environmentId: number, version: number): Promise<Material> {
  const known = kept.get(environmentId);
  if (known && known.material.version === version && performance.now() - known.at < LONGEST_MS) return known.material;
  return readMaterial(environmentId);
}

/** How old an environment's origins may be for a user group token, whose look-up reads only the group. */
const ORIGINS_MS = 5_000;

/**
 * Where an environment's dashboards may be embedded, null for anywhere; a change on another instance shows within 5 s.
 * @throws {AppError} `unavailable`
 */
export function originsOf(environmentId: number): string[] | null | Promise<string[] | null> {
  const known = kept.get(environmentId);
  if (known && performance.now() - known.at < ORIGINS_MS) return known.material.settings.allowed_origins;
  return shareMaterial(environmentId).then(({ settings }) => settings.allowed_origins);
}

/** Drops the cached keys and settings of an environment, after a change. */
export function forgetMaterial(environmentId: number) {
  kept.delete(environmentId);
}

/** Reads the current keys and settings. */
async function readMaterial(environmentId: number): Promise<Material> {
  const at = performance.now();
  const material = await queryMaterial(environmentId);
  kept.set(environmentId, { material, at });
  return material;
}

async function queryMaterial(environmentId: number): Promise<Material> {
  const rows = await read<MaterialRow>(READ_MATERIAL, [environmentId]);
  const [first] = rows;
  if (!first) throw environmentDeleted();
  const settings = { ...settingsIn(first.viewer_settings), allowed_origins: first.allowed_origins };
  const formOf = (template: string | null) => settings.templates[template ?? ""];
  return {
    version: first.viewer_version,
    settings,
    keys: rows.flatMap(({ kid, ...row }) =>
      kid === null ? [] : [openKey(environmentId, { kid, ...row }, formOf(row.template))],
    ),
  };
}

/**
 * The key that signs at `now`, by the database's clock: the newest one past its `signsFrom`. Makes the first key,
 * unless it is a renderer's secret.
 */
export async function signingKey(
  environmentId: number,
  { material, template, now }: { material: Material; template: string | null; now: number },
): Promise<SigningKey> {
  const found = signingAt(material, template, now);
  if (found) return found;
  if (isSecretSigned(material.settings.templates[template ?? ""])) throw new Error("a template has no secret");
  await createFirstKey(environmentId, template);
  const created = signingAt(await readMaterial(environmentId), template, Number.POSITIVE_INFINITY);
  if (!created) throw new Error("an environment has no viewer key that was just made");
  return created;
}

function signingAt({ keys, settings }: Material, template: string | null, now: number): SigningKey | undefined {
  const hasSecret = isSecretSigned(settings.templates[template ?? ""]);
  const isOfKind = ({ publicJwk }: SigningKey) => (publicJwk === undefined) === hasSecret;
  return keys.find((key) => key.template === template && isOfKind(key) && key.signsFrom <= now);
}
