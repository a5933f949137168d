import { askAnonymously, reach } from "@/lib/doctor/anonymous";
import { doubtful, type Finding, named } from "@/lib/doctor/finding";
import { askWithToken } from "@/lib/doctor/with-token";

/**
 * Examines a deployment from outside, as its callers see it, without changing anything. Without an API token
 * it checks less. It does not throw for problems of the deployment.
 */
export async function examine(base: URL, token: string | undefined): Promise<Finding[]> {
  const reached = await reach(base);
  if (reached.some(({ state }) => state === "wrong")) return reached;
  const anonymous = await askAnonymously(base);
  if (token) return [...reached, ...anonymous, ...(await askWithToken(base, token))];
  const unknown = doubtful(
    "none given: GET bodies, Authorization and the client's address were not checked.",
    "Set DOCTOR_TOKEN to an API token (read-only is enough), or pipe one in with --token-stdin.",
  );
  return [...reached, ...anonymous, ...named({ "API token": unknown })];
}
