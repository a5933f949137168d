import type { z } from "zod";
import { type AdminRoute, admit, type Parameters } from "@/lib/http/admin";
import type { Call, StreamedAnswer } from "@/lib/http/call";
import { readAdminInput } from "@/lib/http/input";
import { answerRequest } from "@/lib/http/next";
import { answerWith, within } from "@/lib/http/route";
import { log } from "@/lib/log";
import type { MemberCaller } from "@/lib/members/caller";
import type { Role } from "@/lib/members/schema";

/** A file that is made while it is sent. */
interface Download {
  /** of ASCII letters, digits, dots and hyphens */
  name: string;
  type: string;
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
  const answer = (call: Call, parameters: Parameters) =>
    within(async (): Promise<StreamedAnswer> => {
      const caller = await admit(call, role);
      const { name, type, pieces } = await handle({ caller, input: await readAdminInput(call, parameters, input) });
      const first = await pieces.next();
      const headers = { "Content-Type": type, "Content-Disposition": `attachment; filename="${name}"` };
      return { status: 200, headers, body: streamOf(pieces, first, call.requestId) };
    });
  const serve = async (request: Request, { params }: { params: Promise<Parameters> }) => {
    const parameters = await params;
    return answerRequest(
      request,
      answerWith((call) => answer(call, parameters)),
    );
  };
  return Object.assign(serve, { role });
}

/** Makes the next piece only when it is asked for, and none for somebody who has gone. */
function streamOf(
  pieces: AsyncGenerator<string>,
  first: IteratorResult<string>,
  id: string,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let ready: IteratorResult<string> | undefined = first;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = ready ?? (await pieces.next());
          ready = undefined;
          if (done) controller.close();
          else controller.enqueue(encoder.encode(value));
        } catch (err) {
          log().warn({ id, err }, "a download was cut short");
          controller.error(err);
        }
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
