import { ApiError, isTransient } from "@/lib/browser/api-client";
import { whenReachable } from "@/lib/browser/connection";

/** Pause between checks while the service recovers, in milliseconds. */
const PAUSE_MS = 1_000;

interface Change<Answer> {
  act: () => Promise<Answer>;
  /** checks whether the change was made */
  wasDone: () => Promise<boolean>;
  /** the error title: "Nothing was deleted" */
  failed: string;
  /** the error message if the change was not made, or cannot be known to be; `failed` by default */
  undone?: string | undefined;
}

type Settled<Answer> = { isLost: false; answer: Answer } | { isLost: true; answer: undefined };

/**
 * Makes a change once. After a lost answer or a 503, the change may have been made: waits for the service and checks.
 * A request that was sent cannot be cancelled, and must not be repeated without the member's knowledge.
 * @throws {ApiError} when the change was refused, not sent, or not made
 */
export async function settle<Answer>(change: Change<Answer>, onLost?: () => void): Promise<Settled<Answer>> {
  try {
    return { isLost: false, answer: await change.act() };
  } catch (error) {
    if (!(error instanceof ApiError) || !["lost", "unavailable"].includes(error.code)) throw error;
    onLost?.();
    if (await find(change.wasDone)) return { isLost: true, answer: undefined };
    const { failed, undone } = change;
    if (error.code === "lost") throw new ApiError({ code: "lost", message: undone ?? `${failed}. Try again.` });
    if (undone === undefined) throw error;
    const { code, requestId } = error;
    throw new ApiError({ code, message: `${undone} ${error.message}`, ...(requestId && { requestId }) });
  }
}

async function find(wasDone: () => Promise<boolean>): Promise<boolean> {
  for (;;) {
    await whenReachable();
    try {
      return await wasDone();
    } catch (error) {
      const isWorthWaiting = isTransient(error) || (error instanceof ApiError && error.code === "offline");
      if (isWorthWaiting) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      else if (error instanceof Error) {
        throw new ApiError({ code: "lost", message: `The change may have been made. ${error.message}` });
      } else throw error;
    }
  }
}
