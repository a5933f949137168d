/** Interval and timeout of the reachability checks, in milliseconds. */
const RETRY_MS = 2_000;
const PATIENCE_MS = 5_000;

let reachable = true;
let checking: Promise<void> | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** Whether the service answered the last check. */
export function isReachable(): boolean {
  return reachable;
}

/** Calls the listener when the connection breaks or returns; returns the unsubscribe function. */
export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Checks whether the service is reachable, and repeats until it is. `navigator.onLine` alone is not enough: a service
 * on this machine works without a network, and a network may not reach the service.
 */
export function checkConnection(): Promise<void> {
  checking ??= ask().finally(() => {
    checking = undefined;
  });
  return checking;
}

async function ask() {
  clearTimeout(retry);
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const answered = await fetch("/healthz", { method: "HEAD", cache: "no-store", signal }).then(
    () => true,
    () => false,
  );
  if (!answered) retry = setTimeout(checkConnection, RETRY_MS);
  if (answered === reachable) return;
  reachable = answered;
  for (const listener of [...listeners]) listener();
}

/** Resolves once the service answers. */
export async function whenReachable(): Promise<void> {
  await checkConnection();
  if (reachable) return;
  await new Promise<void>((resolve) => {
    const end = onConnectionChange(() => {
      end();
      resolve();
    });
  });
}

/** Watches the browser's network state; returns the function that stops it. */
export function watchNetwork(): () => void {
  const check = () => void checkConnection();
  if (!navigator.onLine) check();
  for (const event of ["online", "offline"]) window.addEventListener(event, check);
  return () => {
    for (const event of ["online", "offline"]) window.removeEventListener(event, check);
  };
}
