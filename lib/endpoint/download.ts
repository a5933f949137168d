import type { z } from "zod";
import type { MemberCaller } from "@/lib/auth/member-caller";
import type { Role } from "@/lib/auth/role";
import { type AdminRoute, memberRoute } from "@/lib/endpoint/admin";

/** A file that is made while it is sent. */
interface Download {
  /** of ASCII letters, digits, dots and hyphens */
  name: string;
  type: string;
  /** holds nothing between two of them: whoever goes away leaves them as they are */
  pieces: AsyncGenerator<string>;
}

interface DownloadRouteOptions<Schema extends z.ZodType> {
  role: Role;
  input: Schema;
  handle(request: { caller: MemberCaller; input: z.infer<Schema> }): Promise<Download>;
}

/**
 * Declares a method of a route whose answer is a file, for the dashboard alone. What is wrong from the start is an answer of
 * our shape; what goes wrong later breaks the connection, so that half a file is never taken for a whole one.
 */
export function downloadRoute<Schema extends z.ZodType>(options: DownloadRouteOptions<Schema>): AdminRoute {
  const { role, input, handle } = options;
  return memberRoute({
    role,
    input,
    answer: async (request) => {
      const { name, type, pieces } = await handle(request);
      const first = await pieces.next();
      const headers = { "Content-Type": type, "Content-Disposition": `attachment; filename="${name}"` };
      return { status: 200, headers, body: goOn(first, pieces) };
    },
  });
}

async function* goOn(first: IteratorResult<string>, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
