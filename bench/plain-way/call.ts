import type { z } from "zod";
import type { Caller } from "@/lib/auth/caller";
import { apiTokenIndex, digestOf } from "@/lib/crypto/api-token";
import { ACCESS_SCOPES } from "@/lib/db/scopes";
import type { WholeAnswer } from "@/lib/endpoint/call";
import { parseMembers } from "@/lib/json/json";
import { writeJson } from "@/lib/json/raw-json";
import { prisma } from "./database";

/** A refusal: an HTTP status and the reason. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** A Next route handler: authenticates and parses, runs the work, answers. */
export function handle<Schema extends z.ZodType>(
  schema: Schema,
  work: (caller: Caller, body: z.infer<Schema>) => Promise<WholeAnswer>,
): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      const caller = await authenticate(request);
      const body = schema.safeParse(parseMembers(await request.text()));
      if (!body.success) throw new Refusal(422, body.error.message);
      const { status, body: text } = await work(caller, body.data);
      return answer(status, text);
    } catch (error) {
      if (error instanceof Refusal)
        return answer(error.status, writeJson({ success: 0, error: { message: error.message } }));
      throw error;
    }
  };
}

async function authenticate(request: Request): Promise<Caller> {
  const token = request.headers.get("authorization")?.replace(/^Token /, "") ?? "";
  const found = await prisma.apiToken.findUnique({
    where: { tokenIndex: bytes(apiTokenIndex(digestOf(token))), revokedAt: null },
    include: { environment: true },
  });
  if (!found || (found.expiresAt && found.expiresAt < new Date())) throw new Refusal(401, "unknown API token");
  const { id, name, access, environment } = found;
  return {
    actorType: "api_token",
    sessionId: null,
    actorId: String(id),
    actorName: name,
    scopes: new Set(ACCESS_SCOPES[access]),
    predatesScopes: true,
    environment,
    requestId: crypto.randomUUID(),
  };
}

function answer(status: number, body: string): Response {
  return new Response(body, { status, headers: { "Content-Type": "application/json" } });
}

/** In Prisma's type for bytes columns. */
export function bytes(buffer: Buffer): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer);
}
