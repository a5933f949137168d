import { bindingOf, grantOf, isBound } from "@/lib/crypto/api-token";
import { AppError } from "@/lib/errors";
import type { ApiToken } from "@/prisma/generated/client";

type BoundRow = Pick<ApiToken, "environmentId" | "access" | "scopes" | "allowedNetworks" | "tokenIndex" | "binding">;

/**
 * Refuses to change a row that was altered by SQL: it is invalid as a credential, and a change would make it valid.
 * @throws {AppError} `conflict`
 */
export function requireUnaltered(row: BoundRow) {
  if (isBound(Buffer.from(row.tokenIndex), boundOf(row), Buffer.from(row.binding))) return;
  throw new AppError(
    "conflict",
    "This API token was altered in the database and is refused. Revoke it and create another.",
  );
}

/** The binding of a row with these values. */
export function bindingFor(row: Omit<BoundRow, "binding">): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bindingOf(Buffer.from(row.tokenIndex), boundOf(row)));
}

function boundOf({ environmentId, access, scopes, allowedNetworks }: Omit<BoundRow, "tokenIndex" | "binding">) {
  const grant = grantOf({ access, scopes: scopes.length > 0 ? scopes : null, networks: allowedNetworks });
  return { environmentId, grant };
}
