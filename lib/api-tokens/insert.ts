import { SUMMARIZED } from "@/lib/api-tokens/summary";
import type { Authorised } from "@/lib/authority/authority";
import { apiTokenIndex, bindingOf, digestOf, grantOf, hintOf, sealDigest } from "@/lib/crypto/api-token";
import type { ApiToken, Prisma } from "@/prisma/generated/client";

/** The fields of a new row of api_token. */
export interface TokenFields {
  environmentId: number;
  name: string;
  access: "read" | "write";
  /** undefined for a token that predates scopes */
  scopes: string[] | undefined;
  allowedNetworks: string[];
  expiresAt: Date | null;
  /** id of the token that it replaces */
  replaces?: number;
  /** who made it, if not the author */
  maker?: Pick<ApiToken, "createdBy" | "createdById">;
}

/** Inserts an API token; the caller records it. */
export function insertApiToken(
  tx: Prisma.TransactionClient,
  token: string,
  { scopes, maker, ...fields }: TokenFields,
  author: Authorised,
) {
  const { environmentId, access, allowedNetworks } = fields;
  const grant = grantOf({ access, scopes: scopes ?? null, networks: allowedNetworks });
  const digest = digestOf(token);
  const index = apiTokenIndex(digest);
  return tx.apiToken.create({
    include: SUMMARIZED,
    data: {
      ...fields,
      ...(scopes && { scopes }),
      hint: hintOf(token),
      tokenIndex: new Uint8Array(index),
      binding: new Uint8Array(bindingOf(index, { environmentId, grant })),
      digestSealed: new Uint8Array(sealDigest(digest)),
      createdBy: author.actorName,
      createdById: author.actorType === "member" ? author.actorId : null,
      ...maker,
    },
  });
}
