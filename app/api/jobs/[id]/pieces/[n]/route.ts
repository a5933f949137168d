import { authorOf } from "@/lib/auth/caller";
import { programs } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { jobPiece } from "@/lib/jobs/schema";
import { serializeJob } from "@/lib/jobs/serialize";
import { addPiece } from "@/lib/jobs/service";

export const PUT = endpoint({
  access: programs("groups:read", "groups:write"),
  conditions: [],
  input: jobPiece,
  handle: async ({ caller, input: { id, n, content } }) => {
    const piece = { id, n, content: Buffer.from(content, "base64") };
    return json({ job: serializeJob(await addPiece(caller.environment.id, piece, authorOf(caller))) });
  },
});
