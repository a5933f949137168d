import { programs } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { beginFix } from "@/lib/imports/fix";
import { fixRequest } from "@/lib/imports/fix-schema";
import { serializeImport } from "@/lib/imports/serialize";

export const POST = endpoint({
  access: programs("groups:write"),
  conditions: [],
  input: fixRequest,
  handle: async ({ caller, input }) => json({ import: serializeImport(await beginFix(caller, input)) }),
});
