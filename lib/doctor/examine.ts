import { askAnonymously, reach } from "@/lib/doctor/anonymous";
import type { Finding } from "@/lib/doctor/finding";
import { doubtful } from "@/lib/doctor/finding";
import { askWithToken } from "@/lib/doctor/with-token";

/**
 * Examines the deployment at an address from outside, as its callers see it; changes nothing there. Without an API token
 * it finds out less. It does not throw for what is wrong there.
 */
export async function examine(base: URL, token: string | undefined): Promise<Finding[]> {
  const reached = await reach(base);
  if (reached.some(({ state }) => state === "wrong")) return reached;
  const anonymous = await askAnonymously(base);
  if (token) return [...reached, ...anonymous, ...(await askWithToken(base, token))];
  const unknown = doubtful(
    "API token",
    "none was given: whether GET bodies, Authorization and the client's address arrive was not examined.",
    "Set DOCTOR_TOKEN to an API token (read-only will do), or pipe one in with --token-stdin.",
  );
  return [...reached, ...anonymous, unknown];
}
