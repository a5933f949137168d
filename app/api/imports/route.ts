import { z } from "zod";
import { programs, programsWith } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { newImport } from "@/lib/imports/schema";
import { serializeImport } from "@/lib/imports/serialize";
import { beginImport, listImports, SYNC } from "@/lib/imports/service";

export const GET = endpoint({
  access: programs("groups:write"),
  input: z.strictObject({}),
  handle: async ({ caller }) => json({ imports: (await listImports(caller.environment.id)).map(serializeImport) }),
});

export const POST = endpoint({
  access: programsWith({ scopes: ["groups:write"], sometimes: [SYNC] }),
  conditions: [],
  input: newImport,
  handle: async ({ caller, input }) =>
    json({
      import: serializeImport(await beginImport(caller, input)),
    }),
});
