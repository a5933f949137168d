import { bindingFor, requireUnaltered } from "@/lib/api-tokens/binding";
import type { NewToken } from "@/lib/api-tokens/service";
import { SUMMARIZED, summarize, warningsFor } from "@/lib/api-tokens/summary";
import { record } from "@/lib/audit/service";
import { type Author, authorise } from "@/lib/authority/authority";
import { databaseNow } from "@/lib/db/clock";
import { prisma } from "@/lib/db/prisma";
import { AppError } from "@/lib/errors";

interface NetworkChange {
  id: number;
  environmentId: number;
  /** none for any address */
  networks: string[];
}

/**
 * Changes the networks that an API token is accepted from, and records it. An author outside them, by the address, is
 * warned.
 * @throws {AppError} `not_found` when it has ended, `conflict` when it is from before scopes or its row was altered
 */
export async function changeNetworks(
  { id, environmentId, networks }: NetworkChange,
  author: Author,
  address?: string,
): Promise<Omit<NewToken, "token">> {
  return prisma().$transaction(async (tx) => {
    await tx.$queryRaw`SELECT FROM api_token WHERE id = ${id} FOR NO KEY UPDATE`;
    const by = await authorise(tx, author, "admin");
    const old = await tx.apiToken.findFirst({ where: { id, environmentId }, include: SUMMARIZED });
    const now = await databaseNow(tx);
    if (!old || old.revokedAt || (old.expiresAt && old.expiresAt <= now)) {
      throw new AppError("not_found", "No such API token in this environment, or it is no longer valid.");
    }
    requireUnaltered(old);
    if (old.scopes.length === 0) {
      const message = "This API token is from before scopes and networks. Create another with networks.";
      throw new AppError("conflict", message);
    }
    const row = await tx.apiToken.update({
      where: { id },
      data: { allowedNetworks: networks, binding: bindingFor({ ...old, allowedNetworks: networks }) },
      include: SUMMARIZED,
    });
    const { name } = row;
    await record(tx, by, {
      action: "api_token.networks_changed",
      environmentId: row.environmentId,
      before: { id, name, allowed_networks: old.allowedNetworks },
      after: { id, name, allowed_networks: networks },
    });
    return { apiToken: summarize(row, null, now), warnings: warningsFor(networks, address) };
  });
}
