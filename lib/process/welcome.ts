import { createApiToken, listApiTokens } from "@/lib/api-tokens/service";
import { env } from "@/lib/config/env";
import { localUrl, publicUrl } from "@/lib/config/public-url";
import { listEnvironments } from "@/lib/environments/service";
import { linkUrl, makeSetUpLink } from "@/lib/members/link";
import { type OpenDatabase, untilDone } from "@/lib/process/open-database";
import { log, tell } from "@/lib/telemetry/log";

/** Who does what a start does, as the history records it. */
export const SERVICE_START = {
  actorType: "operator",
  actorId: null,
  actorName: "service start",
  requestId: null,
  sessionId: null,
} as const;

/**
 * Tells the person at the terminal, once the service is ready, where it is and how to go on. What the database has to
 * know first is told as soon as that can be used, should it be away again.
 */
export async function welcome(port: number, { location, embedded }: OpenDatabase) {
  const url = localUrl(port);
  tell(`User groups are served at ${url}\nData: ${location}`);
  const apiToken = embedded ? await madeWith(makeFirstApiToken) : undefined;
  tell(
    apiToken
      ? `
This is the first start. Here is an API token for the Testing environment; it is not shown again. Try it:

curl -X GET ${url}/api/user -H 'Authorization: Token ${apiToken}' -H 'Content-Type: application/json' \\
  -d '{"user_group_id":"example_1","name":"Example 1","mapping":{"40":"213"},"properties":{"plan":"pro"}}'
`
      : "Make an API token: npm run -s api-token -- create --environment testing --name NAME",
  );
  if (env().API_TOKEN) tell(`The token in API_TOKEN is valid in the environment "${env().API_TOKEN_ENVIRONMENT}".`);
  const setUpToken = await madeWith(() => makeSetUpLink(SERVICE_START));
  if (!setUpToken) return;
  tell(`
Nobody can sign in to the dashboard yet. Become its first owner here, within 24 hours:

${linkUrl(publicUrl(port), setUpToken)}

This works once. Until somebody has, each start prints a new link, and the one before it stops working.`);
}

/** A token, as soon as the database can be used. One that cannot be made ends no service which others use already. */
function madeWith(make: () => Promise<string | undefined>): Promise<string | undefined> {
  return untilDone(make).catch((err: unknown) => {
    log().error({ err }, "a token to begin with could not be made: the next start tries again");
    return undefined;
  });
}

/** Asked of the tokens rather than of the database: it may have been made by a start that ended before it came here. */
async function makeFirstApiToken(): Promise<string | undefined> {
  const testing = (await listEnvironments()).find(({ slug }) => slug === "testing");
  if (!testing || (await listApiTokens()).length > 0) return undefined;
  const fields = { name: "first start", access: "write", expiresAt: null } as const;
  return (await createApiToken(testing, fields, SERVICE_START)).token;
}
