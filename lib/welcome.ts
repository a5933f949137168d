import { createApiToken, listApiTokens } from "@/lib/api-tokens/service";
import { env } from "@/lib/env";
import { listEnvironments } from "@/lib/environments/service";
import { log } from "@/lib/log";
import { linkUrl, makeSetUpLink } from "@/lib/members/link";
import type { OpenDatabase } from "@/lib/open";
import { localUrl, publicUrl } from "@/lib/public-url";

/** Who does what a start does, as the history records it. */
export const OPERATOR = { actorType: "operator", actorId: null, actorName: "service start", requestId: null } as const;

/** What the person at the terminal is told once the service is ready: where it is, and how to go on. It may hold tokens. */
export async function welcome(port: number, { location, embedded }: OpenDatabase): Promise<string> {
  const url = localUrl(port);
  const lines = [`User groups are served at ${url}`, `Data: ${location}`];
  // Asked of the tokens rather than of the database: it may have been made by a start that ended before it came here.
  const testing = (await listEnvironments()).find(({ slug }) => slug === "testing");
  if (embedded && testing && (await listApiTokens()).length === 0) {
    const fields = { name: "first start", access: "write", expiresAt: null } as const;
    const { token } = await createApiToken(testing, fields, OPERATOR);
    lines.push(
      "",
      "This is the first start. Here is an API token for the Testing environment; it is not shown again. Try it:",
      "",
      `curl -X GET ${url}/api/user -H 'Authorization: Token ${token}' -H 'Content-Type: application/json' \\`,
      `  -d '{"user_group_id":"example_1","name":"Example 1","mapping":{"40":"213"},"properties":{"plan":"pro"}}'`,
      "",
    );
  } else {
    lines.push("Make an API token: npm run -s api-token -- create --environment testing --name NAME");
  }
  if (env().API_TOKEN)
    lines.push(`The token in API_TOKEN is valid in the environment "${env().API_TOKEN_ENVIRONMENT}".`);
  const token = await makeSetUpLink(OPERATOR).catch((err: unknown) => {
    // The database may be gone again, which ends no service: its next start prints the link.
    log().warn({ err }, "no set-up link could be made");
    return undefined;
  });
  if (token) {
    lines.push(
      "",
      "Nobody can sign in to the dashboard yet. Become its first owner here, within 24 hours:",
      "",
      linkUrl(publicUrl(port), token),
      "",
      "This works once. Until somebody has, each start prints a new link, and the one before it stops working.",
    );
  }
  return lines.join("\n");
}
