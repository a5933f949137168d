import type { Caller } from "@/lib/auth/caller";
import type { Answer, Call } from "@/lib/endpoint/call";
import { readmit } from "@/lib/endpoint/credential";
import { lanes } from "@/lib/endpoint/lanes";

const FILE_TYPES = { csv: "text/csv; charset=utf-8; header=present", jsonl: "application/x-ndjson; charset=utf-8" };

/** Each download holds a piece of several MiB in memory while its client reads. */
const enter = lanes(4, "downloads");

interface Download {
  /** of ASCII letters, digits and hyphens */
  name: string;
  format: keyof typeof FILE_TYPES;
  /** must hold no resources between pieces, since the client may disconnect */
  pieces: AsyncGenerator<string>;
}

/**
 * A file that is generated while it is sent. An error at the start yields an ordinary answer; a later one breaks the
 * connection, so that half a file never passes for a complete one.
 * @throws {AppError} `rate_limited` when the caller has too many downloads
 */
export async function download(
  { call, caller }: { call: Call; caller: Caller },
  make: () => Promise<Download>,
): Promise<Answer> {
  const leave = enter({ caller });
  let isOver = false;
  const end = () => {
    if (!isOver) leave();
    isOver = true;
  };
  call.onClose?.(end);
  try {
    const { name, format, pieces } = await make();
    const first = await pieces.next();
    const headers = {
      "Content-Type": FILE_TYPES[format],
      "Content-Disposition": `attachment; filename="${name}.${format}"`,
    };
    return { status: 200, headers, body: goOn(call, first, pieces, end) };
  } catch (error) {
    end();
    throw error;
  }
}

async function* goOn(
  call: Call,
  first: IteratorResult<string>,
  rest: AsyncGenerator<string>,
  end: () => void,
): AsyncGenerator<string> {
  try {
    if (first.done) return;
    yield first.value;
    for await (const piece of rest) {
      await readmit(call);
      yield piece;
    }
  } finally {
    end();
  }
}
