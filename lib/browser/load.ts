import { whenReachable } from "@/lib/browser/connection";

const ATTEMPTS = 3;

/**
 * Imports a module, again once the service can be reached where that fails.
 * @throws if the service answers, but has no such module: it may belong to an older release
 */
export async function load<Module>(importModule: () => Promise<Module>): Promise<Module> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await importModule();
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await whenReachable();
    }
  }
}

/** Calls it once the browser is idle; returns the function that cancels that. Safari has no idle callbacks. */
export function whenIdle(call: () => void): () => void {
  if (!window.requestIdleCallback) {
    const timer = setTimeout(call, 500);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(call);
  return () => cancelIdleCallback(handle);
}
