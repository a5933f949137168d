import { createHash } from "node:crypto";
import { type Run, statement } from "@/lib/db/pool";
import { NONE } from "@/lib/definitions/service";
import { lockEnvironment } from "@/lib/environments/service";
import { environmentDeleted } from "@/lib/errors";
import { settingsIn, type ViewerSettings } from "@/lib/viewer-tokens/settings-schema";
import type { WebhookRow } from "@/lib/webhooks/stored";

/** The parts of a stored webhook that are settings. */
export type StoredWebhook = Pick<WebhookRow, "id" | "url" | "description" | "types" | "enabled">;

interface Row {
  /** JSON text */
  definitions: string;
  viewer_settings: string | null;
  allowed_origins: string[] | null;
  embed_template: string | null;
  webhooks: StoredWebhook[];
  /** the ids of the templates' secrets */
  secrets: string[];
}

/** The stored settings of an environment. */
export interface StoredSettings extends Omit<Row, "viewer_settings"> {
  viewers: Omit<ViewerSettings, "allowed_origins">;
  /** changes with any setting and with any secret; the secrets in the hash keep it from revealing the settings */
  tag: string;
}

const READ = statement("read_settings")`
  SELECT coalesce(d.document, $2) AS definitions, e.viewer_settings, e.allowed_origins, e.embed_template, (
    SELECT coalesce(json_agg(json_build_object('id', w.id, 'url', w.url, 'description', w.description, 'types', w.types,
      'enabled', w.enabled, 'secret', encode(w.secret_sealed, 'hex')) ORDER BY w.id), '[]')
    FROM webhook w WHERE w.environment_id = e.id
  ) AS webhooks, array(
    SELECT k.kid FROM viewer_key k WHERE k.environment_id = e.id AND k.public_jwk IS NULL ORDER BY k.kid
  ) AS secrets
  FROM environment e LEFT JOIN definitions d ON d.environment_id = e.id WHERE e.id = $1`;

const LOCK_WEBHOOKS = statement("lock_webhooks")`SELECT FROM webhook WHERE environment_id = $1 ORDER BY id FOR UPDATE`;

/** @throws {AppError} `not_found` when the environment was just deleted */
export async function readStoredSettings(run: Run, environmentId: number): Promise<StoredSettings> {
  const [row] = await run<Row>(READ, [environmentId, NONE]);
  if (!row) throw environmentDeleted();
  const { viewer_settings, ...rest } = row;
  const tag = `s-${createHash("sha256").update(JSON.stringify(row)).digest("hex").slice(0, 32)}`;
  return { ...rest, viewers: settingsIn(viewer_settings), tag };
}

/** As {@link readStoredSettings}, but locks the settings until the transaction ends. */
export async function lockStoredSettings(run: Run, environmentId: number): Promise<StoredSettings> {
  await lockEnvironment(run, environmentId);
  await run(LOCK_WEBHOOKS, [environmentId]);
  return readStoredSettings(run, environmentId);
}
