import { ApiError, isTransient } from "@/lib/browser/api-client";
import { whenReachable } from "@/lib/browser/connection";

/** How long it waits after a service that is back could not say yet, in milliseconds. */
const PAUSE_MS = 1_000;

export interface Change<Answer> {
  /** makes the change */
  act: () => Promise<Answer>;
  /** reads whether the change was made */
  wasDone: () => Promise<boolean>;
  /** what to say where it was not: "“Acme” is still there." */
  undone: string;
}

export type Settled<Answer> = { isLost: false; answer: Answer } | { isLost: true; answer: undefined };

/**
 * Makes a change, once. If the answer is lost, or is a 503, which leaves open whether the change was made, waits until the
 * service answers and reads what became of it: a request that was sent cannot be cancelled, and must not be sent again unseen.
 * @throws {ApiError} when the change was refused, not sent, or not made
 */
export async function settle<Answer>(change: Change<Answer>, onLost?: () => void): Promise<Settled<Answer>> {
  try {
    return { isLost: false, answer: await change.act() };
  } catch (error) {
    if (!(error instanceof ApiError) || !["lost", "unavailable"].includes(error.code)) throw error;
    onLost?.();
    if (await find(change.wasDone)) return { isLost: true, answer: undefined };
    if (error.code === "lost") throw new ApiError({ code: "lost", message: change.undone });
    const { code, requestId } = error;
    throw new ApiError({ code, message: `${change.undone} ${error.message}`, ...(requestId && { requestId }) });
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
