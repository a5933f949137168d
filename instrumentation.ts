/** Next calls it as it starts: only where it alone serves the routes, as no other build finds this file. */
export async function register() {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { startUnderNext } = await import("@/lib/process/under-next");
  await startUnderNext();
}
