/** Next calls this at startup, when it serves the routes alone; no other build includes this file. */
export async function register() {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { startUnderNext } = await import("@/lib/process/under-next");
  await startUnderNext();
}
