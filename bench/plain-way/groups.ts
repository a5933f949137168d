import { authorOf, type Caller } from "@/lib/auth/caller";
import { newToken, openToken, storeToken, tokenIndexes } from "@/lib/crypto/group-token";
import type { Group } from "@/lib/groups/group";
import type { GroupRequest, TokenRotation } from "@/lib/groups/schema";
import type { FoundGroup } from "@/lib/groups/service";
import type { Group as Row } from "@/prisma/generated/client";
import { bytes, Refusal } from "./call";
import { prisma, type Transaction } from "./database";

/** Finds the group with this id, or creates it. */
export async function getOrCreateGroup(caller: Caller, body: GroupRequest): Promise<FoundGroup> {
  const place = { environmentId: caller.environment.id, providedId: body.user_group_id };
  const existing = await prisma.group.findUnique({ where: { environmentId_providedId: place } });
  if (existing) return { group: toGroup(existing), created: false };
  const data = {
    ...place,
    name: body.name ?? body.user_group_id,
    mapping: body.mapping?.text ?? "{}",
    properties: body.properties?.text ?? null,
    ...stored(place),
  };
  const created = await prisma.$transaction(async (tx) => {
    const row = await tx.group.create({ data });
    await record(tx, { caller, action: "user_group.created", before: null, after: row });
    return row;
  });
  return { group: toGroup(created), created: true };
}

/** Changes the given fields. */
export async function updateGroup(caller: Caller, body: GroupRequest): Promise<Group> {
  const where = { environmentId_providedId: { environmentId: caller.environment.id, providedId: body.user_group_id } };
  const changed = await prisma.$transaction(async (tx) => {
    const before = await tx.group.findUnique({ where });
    if (!before) throw new Refusal(404, "unknown user group");
    const after = await tx.group.update({
      where,
      data: {
        ...(body.name !== undefined && { name: body.name }),
        ...(body.mapping !== undefined && { mapping: body.mapping.text }),
        ...(body.properties !== undefined && { properties: body.properties?.text ?? null }),
        version: { increment: 1 },
        updatedAt: new Date(),
      },
    });
    await record(tx, { caller, action: "user_group.updated", before, after });
    return after;
  });
  return toGroup(changed);
}

/** Gives the group with this token a new one. */
export async function rotateByToken(caller: Caller, { current_token }: TokenRotation): Promise<Group> {
  const [tokenIndex] = tokenIndexes(current_token).map(bytes);
  if (!tokenIndex) throw new Refusal(404, "unknown token");
  const rotated = await prisma.$transaction(async (tx) => {
    const before = await tx.group.findUnique({ where: { tokenIndex, environmentId: caller.environment.id } });
    if (!before) throw new Refusal(404, "unknown token");
    const after = await tx.group.update({
      where: { teamId: before.teamId, tokenIndex },
      data: { ...stored(before), version: { increment: 1 }, rotatedAt: new Date() },
    });
    await record(tx, { caller, action: "user_group.token_rotated", before, after });
    return after;
  });
  return toGroup(rotated);
}

function stored(place: { environmentId: number; providedId: string }) {
  const { tokenIndex, tokenSealed } = storeToken(newToken(), place);
  return { tokenIndex: bytes(tokenIndex), tokenSealed: bytes(tokenSealed) };
}

function toGroup(row: Row): Group {
  const [tokenIndex, tokenSealed] = [Buffer.from(row.tokenIndex), Buffer.from(row.tokenSealed)];
  return { ...row, token: openToken({ ...row, tokenIndex, tokenSealed }) };
}

interface Change {
  caller: Caller;
  action: string;
  before: Row | null;
  after: Row;
}

async function record(tx: Transaction, { caller, action, before, after }: Change) {
  const ended = before && !Buffer.from(before.tokenIndex).equals(after.tokenIndex) ? before.tokenIndex : null;
  const { actorType, actorId, actorName, requestId } = authorOf(caller);
  await tx.auditEntry.create({
    data: {
      ...{ actorType, actorId, actorName, requestId },
      environmentId: after.environmentId,
      teamId: after.teamId,
      action,
      before: before && snapshot(before),
      after: snapshot(after),
      endedToken: ended?.slice(0, 8) ?? null,
    },
  });
}

function snapshot({ providedId, name, mapping, properties, tokenIndex }: Row): string {
  const token_fingerprint = Buffer.from(tokenIndex).toString("hex", 0, 8);
  return JSON.stringify({ provided_id: providedId, name, mapping, properties, token_fingerprint });
}
