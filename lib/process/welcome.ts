import { createApiToken, listApiTokens } from "@/lib/api-tokens/service";
import { operator } from "@/lib/authority/authority";
import { PRESETS } from "@/lib/authority/scopes";
import { env, localUrl, publicUrl } from "@/lib/config/env";
import { listEnvironments } from "@/lib/environments/service";
import { linkUrl, makeSetUpLink } from "@/lib/members/link";
import { type OpenDatabase, untilDone } from "@/lib/process/open-database";
import { log, printNotice } from "@/lib/telemetry/log";

/** The history's author of changes at a start. */
export const SERVICE_START = operator("service start");

/**
 * Once the service is ready, tells the person at the terminal its URL and the next steps. Steps that need the database
 * wait while it is unavailable.
 */
export async function welcome(port: number, { location, embedded }: OpenDatabase) {
  const url = localUrl(port);
  printNotice(`User group service running at ${url}\nData: ${location}`);
  const apiToken = embedded ? await madeWith(makeFirstApiToken) : undefined;
  printNotice(
    apiToken
      ? `
This is the first start. Here is an API token (preset backend) for the Testing environment; it is not shown
again. Try it:

curl -X GET ${url}/api/user -H 'Authorization: Token ${apiToken}' -H 'Content-Type: application/json' \\
  -d '{"user_group_id":"example_1","name":"Example 1","mapping":{"40":"213"},"properties":{"plan":"pro"}}'`
      : `Create an API token${embedded ? "" : ", with the same DATABASE_URL and SECRET_KEY set"}:
./user-groups api-token create --environment testing --name NAME`,
  );
  if (env().API_TOKEN)
    printNotice(`The token in API_TOKEN belongs to the environment "${env().API_TOKEN_ENVIRONMENT}".`);
  const setUpToken = await madeWith(() => makeSetUpLink(SERVICE_START));
  if (!setUpToken) return;
  printNotice(`
No one can sign in to the dashboard yet. Become its first owner here, within 24 hours:

${linkUrl(publicUrl(port), setUpToken)}

The link works once. Until it is used, each start prints a new link and revokes the previous one.`);
}

/**
 * Makes a text for the terminal as soon as the database is available. A failure must not end a service that others
 * already use.
 */
function madeWith(make: () => Promise<string | undefined>): Promise<string | undefined> {
  return untilDone(make).catch((err: unknown) => {
    log().error({ err }, "a step of the start failed: the next start tries it again");
    return undefined;
  });
}

/** Looks for tokens, not for a new database: an earlier start may have ended after creating it. */
async function makeFirstApiToken(): Promise<string | undefined> {
  const testing = (await listEnvironments()).find(({ slug }) => slug === "testing");
  if (!testing || (await listApiTokens()).length > 0) return undefined;
  const fields = { name: "first start", scopes: [...PRESETS.backend], allowedNetworks: [], expiresAt: null };
  return (await createApiToken(testing, fields, SERVICE_START)).token;
}
