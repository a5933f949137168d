import { record } from "@/lib/audit/service";
import { type Author, authorise } from "@/lib/authority/authority";
import { read, statement } from "@/lib/db/pool";
import { prisma, runIn } from "@/lib/db/prisma";
import { lockEnvironment } from "@/lib/environments/service";
import { AppError } from "@/lib/errors";
import { isSecretSigned, templateIn } from "@/lib/viewer-tokens/claims";
import { generateKey, type NewKey } from "@/lib/viewer-tokens/key";
import type { KeyState } from "@/lib/viewer-tokens/key-schema";
import { MAX_LIFE, settingsIn } from "@/lib/viewer-tokens/settings-schema";
import type { Prisma } from "@/prisma/generated/client";

/** How long a key is published before it signs, in seconds: longer than verifiers and proxies keep a key set. */
const LEAD = 3_600;
/**
 * How long a key stays published after its successor signs, in seconds: a token's longest life, the time to notice the
 * successor, and clock differences.
 */
const REMAINS = MAX_LIFE + 180;

/** A key as administrators see it. */
export interface KeyRow {
  /** the RFC 7638 thumbprint of the public key */
  kid: string;
  /** null for viewer tokens */
  template: string | null;
  state: KeyState;
  published_at: Date;
  signs_from: Date;
  /** when its last token has expired; null while it has no successor */
  ends_at: Date | null;
  revoked_at: Date | null;
}

const LIST_KEYS = statement("list_viewer_keys")`
  SELECT kid, template, published_at, signs_from, ends_at, revoked_at,
    CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN ends_at <= now() THEN 'ended'
      WHEN signs_from > now() THEN 'waits'
      WHEN signs_from = max(signs_from) FILTER (WHERE revoked_at IS NULL
        AND signs_from <= now()) OVER (PARTITION BY template)
      THEN 'signs' ELSE 'retired' END AS state
  FROM viewer_key WHERE environment_id = $1 AND public_jwk IS NOT NULL ORDER BY signs_from DESC, kid`;

/** The keys of an environment, newest first. */
export function listViewerKeys(environmentId: number): Promise<KeyRow[]> {
  return read<KeyRow>(LIST_KEYS, [environmentId]);
}

/** Makes the first key of an environment or a template, which signs immediately; concurrent callers make only one. */
export async function createFirstKey(environmentId: number, template: string | null) {
  const key = await generateKey(environmentId);
  await prisma().$transaction(async (tx) => {
    await lockEnvironment(runIn(tx), environmentId);
    const current = await usableKeys(tx, environmentId, template);
    if (current.some(({ waits, ends_at }) => !waits && ends_at === null)) return;
    await insertKey(tx, { environmentId, template, key });
    await raiseVersion(tx, environmentId);
  });
}

interface Change {
  environmentId: number;
  author: Author;
}

/** Changes an environment's keys, one change at a time; records it, and makes every instance read the keys again. */
async function changeKeys(
  { environmentId, author }: Change,
  change: (tx: Prisma.TransactionClient) => Promise<Parameters<typeof record>[2]>,
): Promise<KeyRow[]> {
  await prisma().$transaction(async (tx) => {
    await lockEnvironment(runIn(tx), environmentId);
    const by = await authorise(tx, author, "admin");
    const event = await change(tx);
    await raiseVersion(tx, environmentId);
    await record(tx, by, { environmentId, ...event });
  });
  return listViewerKeys(environmentId);
}

/**
 * Publishes a new key, which signs an hour later; the current one stays published until its last token has expired.
 * @throws {AppError} `conflict` while another key waits to sign, `invalid_fields` when there is no such template
 */
export async function rotateViewerKey(template: string | null, { environmentId, author }: Change): Promise<KeyRow[]> {
  const key = await generateKey(environmentId);
  return changeKeys({ environmentId, author }, async (tx) => {
    if (template !== null) {
      const where = { id: environmentId };
      const stored = await tx.environment.findUnique({ where, select: { viewerSettings: true } });
      if (isSecretSigned(templateIn(settingsIn(stored?.viewerSettings ?? null), template))) {
        throw new AppError(
          "conflict",
          "The renderer's secret signs this template's tokens. Change it in the template.",
        );
      }
    }
    const current = await usableKeys(tx, environmentId, template);
    if (current.some(({ waits }) => waits)) {
      throw new AppError("conflict", "A new key is already waiting to sign. Rotate again once it signs.");
    }
    const lead = current.length === 0 ? 0 : LEAD;
    await tx.$executeRaw`
      UPDATE viewer_key SET ends_at = now() + ${lead + REMAINS} * interval '1 second'
      WHERE environment_id = ${environmentId} AND template IS NOT DISTINCT FROM ${template} AND ends_at IS NULL
        AND public_jwk IS NOT NULL`;
    await insertKey(tx, { environmentId, template, key, lead });
    return { action: "environment.viewer_key_rotated", after: { kid: key.kid, template } };
  });
}

/**
 * Revokes a key: its tokens fail as soon as verifiers read the key set again. If it was the signing key, another key
 * signs from now on.
 * @throws {AppError} `not_found` when the environment has no such key, or it was already revoked
 */
export async function revokeViewerKey(kid: string, { environmentId, author }: Change): Promise<KeyRow[]> {
  const fresh = await generateKey(environmentId);
  return changeKeys({ environmentId, author }, async (tx) => {
    const [revoked] = await tx.$queryRaw<RevokedKey[]>`
      UPDATE viewer_key SET revoked_at = now() WHERE environment_id = ${environmentId} AND kid = ${kid}
        AND revoked_at IS NULL AND public_jwk IS NOT NULL
      RETURNING template, signs_from > clock_timestamp() AS waited, signs_from`;
    if (!revoked) throw new AppError("not_found", "This environment has no such key, or it was revoked before.");
    await replaceRevoked(tx, environmentId, revoked, fresh);
    return { action: "environment.viewer_key_revoked", before: { kid, template: revoked.template } };
  });
}

interface RevokedKey {
  template: string | null;
  /** whether it was still waiting to sign */
  waited: boolean;
  signs_from: Date;
}

/** Ensures that some key signs, and some key has no end: remaining keys, or the fresh one. */
async function replaceRevoked(
  tx: Prisma.TransactionClient,
  environmentId: number,
  { template, waited, signs_from }: RevokedKey,
  fresh: NewKey,
) {
  const left = await usableKeys(tx, environmentId, template);
  const waiting = left.find(({ waits }) => waits);
  const signing = left.find(({ waits }) => !waits);
  if (waited) {
    if (signing) await tx.$executeRaw`UPDATE viewer_key SET ends_at = NULL WHERE kid = ${signing.kid}`;
  } else if (signing && signing.signs_from > signs_from) {
    // The revoked key had retired, so it needs no replacement.
    return;
  } else if (waiting) {
    await tx.$executeRaw`UPDATE viewer_key SET signs_from = now() WHERE kid = ${waiting.kid}`;
  } else {
    await insertKey(tx, { environmentId, template, key: fresh });
  }
}

interface UsableKey {
  kid: string;
  waits: boolean;
  signs_from: Date;
  ends_at: Date | null;
}

/**
 * The keys that sign or will sign, newest first. Compares with the clock, not the transaction's time: the transaction
 * that made the first key may have begun after this one.
 */
function usableKeys(
  tx: Prisma.TransactionClient,
  environmentId: number,
  template: string | null,
): Promise<UsableKey[]> {
  return tx.$queryRaw<UsableKey[]>`
    SELECT kid, signs_from > clock_timestamp() AS waits, signs_from, ends_at FROM viewer_key
    WHERE environment_id = ${environmentId} AND template IS NOT DISTINCT FROM ${template} AND revoked_at IS NULL
      AND public_jwk IS NOT NULL AND (ends_at IS NULL OR ends_at > now())
    ORDER BY signs_from DESC, kid`;
}

interface Insertion {
  environmentId: number;
  template: string | null;
  key: NewKey;
  /** seconds until it signs */
  lead?: number;
}

async function insertKey(tx: Prisma.TransactionClient, { environmentId, template, key, lead = 0 }: Insertion) {
  const { kid, privateSealed, publicJwk } = key;
  await tx.$executeRaw`
    INSERT INTO viewer_key (kid, environment_id, template, private_sealed, public_jwk, signs_from)
    VALUES (${kid}, ${environmentId}, ${template}, ${privateSealed}, ${publicJwk},
      now() + ${lead} * interval '1 second')`;
}

/** Makes every instance read the keys again, before its next token. */
async function raiseVersion(tx: Prisma.TransactionClient, environmentId: number) {
  await tx.$executeRaw`UPDATE environment SET viewer_version = viewer_version + 1 WHERE id = ${environmentId}`;
}
