import { whenReachable } from "@/lib/browser/connection";

const ATTEMPTS = 3;

/**
 * Imports a module; if that fails, tries again once the service is reachable.
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

/** Runs `call` once the browser is idle; returns a function that cancels it. Safari has no idle callbacks. */
export function whenIdle(call: () => void): () => void {
  if (!window.requestIdleCallback) {
    const timer = setTimeout(call, 500);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(call);
  return () => cancelIdleCallback(handle);
}
