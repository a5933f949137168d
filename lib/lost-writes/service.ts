import { record } from "@/lib/audit/service";
import { env } from "@/lib/config/env";
import type { Acknowledged } from "@/lib/db/acknowledged";
import { type Author, authorise, SERVICE } from "@/lib/db/authority";
import { read, type Statement } from "@/lib/db/pool";
import { prisma } from "@/lib/db/prisma";
import { AppError } from "@/lib/errors";
import { type LostChange, lostChanges } from "@/lib/lost-writes/schema";
import { log } from "@/lib/telemetry/log";
import { meter } from "@/lib/telemetry/meter";

/** Groups that a report names. */
const MOST_NAMED = 1_000;

/** What a failover lost, as this instance found it. */
export interface FoundLoss {
  changes: readonly Acknowledged[];
  /** acknowledged shortly before, but too many to remember */
  unchecked: number;
  /** host and port of the new primary */
  host: string;
}

/** Raises the alarm in the log and the metrics, before anything is stored. */
export function announceLoss({ changes, unchecked, host }: FoundLoss) {
  meter()?.lost(changes.length, unchecked);
  const facts = { host, writes: changes.length, unchecked };
  if (changes.length === 0) {
    log().warn(facts, "a failover may have lost acknowledged changes: too many were made before it to check all");
    return;
  }
  const teamIds = [...new Set(changes.map(({ teamId }) => teamId))].slice(0, MOST_NAMED);
  log().error({ ...facts, team_ids: teamIds }, "a failover of the database lost acknowledged changes");
}

/** Stores a loss for owners, and in the history of each environment. */
export async function storeLoss({ changes, unchecked, host }: FoundLoss) {
  const groups = new Map<number, LostChange>();
  for (const { environmentId, teamId, providedId, action } of changes) {
    const known = groups.get(teamId);
    if (known) {
      known.actions.push(action);
      known.provided_id ??= providedId ?? null;
    } else {
      const group = { environment_id: environmentId, team_id: teamId, provided_id: providedId ?? null };
      groups.set(teamId, { ...group, actions: [action] });
    }
  }
  const named = [...groups.values()].slice(0, MOST_NAMED);
  const stops = env().ON_LOST_WRITES === "stop";
  await prisma().$transaction(async (tx) => {
    const data = { host, writes: changes.length, unchecked, changes: JSON.stringify(named), stops };
    await tx.lostWrites.create({ data });
    for (const environmentId of new Set(changes.map((one) => one.environmentId))) {
      const own = named.filter(({ environment_id }) => environment_id === environmentId);
      const writes = changes.filter((one) => one.environmentId === environmentId).length;
      const after = { writes, team_ids: own.map(({ team_id }) => team_id), changes_stopped: stops };
      await record(tx, SERVICE, { action: "user_groups.writes_lost", environmentId, after });
    }
  });
}

/** A stored loss, with its groups as far as they are known. */
export interface OpenLoss {
  id: number;
  foundAt: Date;
  host: string;
  writes: number;
  unchecked: number;
  stops: boolean;
  groups: (LostChange & { environment: string | null })[];
}

/** The losses that nobody has accepted, the oldest first. */
export async function listLosses(): Promise<OpenLoss[]> {
  const [losses, environments] = await Promise.all([
    prisma().lostWrites.findMany({ where: { acceptedAt: null }, orderBy: { id: "asc" } }),
    prisma().environment.findMany({ select: { id: true, slug: true } }),
  ]);
  const slugs = new Map(environments.map(({ id, slug }) => [id, slug]));
  return losses.map(({ id, foundAt, host, writes, unchecked, stops, changes }) => {
    const groups = lostChanges.parse(JSON.parse(changes)).map((group) => ({
      ...group,
      environment: slugs.get(group.environment_id) ?? null,
    }));
    return { id, foundAt, host, writes, unchecked, stops, groups };
  });
}

/**
 * Accepts losses: their alarm ends, and changes that they have stopped are allowed again, in all instances. An owner can only accept
 * what has been shown: another loss stays.
 * @throws {AppError} `not_found` when all of them have been accepted
 */
export async function acceptLosses(ids: number[], author: Author) {
  await prisma().$transaction(async (tx) => {
    const accepted = await tx.$queryRaw<{ changes: string; stops: boolean }[]>`
      UPDATE lost_writes SET accepted_at = now(), accepted_by = ${author.actorName}
      WHERE id = ANY (${ids}::int[]) AND accepted_at IS NULL RETURNING changes, stops`;
    const by = await authorise(tx, author, "owner");
    if (accepted.length === 0) throw new AppError("not_found", "These losses have been accepted already.");
    for (const { changes, stops } of accepted) {
      const groups = lostChanges.parse(JSON.parse(changes));
      for (const environmentId of new Set(groups.map(({ environment_id }) => environment_id))) {
        const own = groups.filter(({ environment_id }) => environment_id === environmentId);
        const after = { writes: own.flatMap(({ actions }) => actions).length, changes_allowed: stops };
        await record(tx, by, { action: "user_groups.loss_accepted", environmentId, after });
      }
    }
  });
}

const COUNT_OPEN: Statement = {
  name: "count_lost_writes",
  text: `
    SELECT coalesce(sum(writes), 0)::int AS writes, coalesce(bool_or(stops), false) AS stops
    FROM lost_writes WHERE accepted_at IS NULL`,
};

/** How many lost changes nobody has accepted, and whether they stop changes. */
export async function openLosses(): Promise<{ writes: number; stops: boolean }> {
  const [counted] = await read<{ writes: number; stops: boolean }>(COUNT_OPEN, []);
  return counted ?? { writes: 0, stops: false };
}
