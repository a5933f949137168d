import { finished } from "node:stream/promises";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { UserGroupsClient, UserGroupsError } from "@user-groups/client";
import { agentTools, describeFailure } from "@/lib/cli/agent-tools";
import { readCallSettings, runCommand, withoutArguments } from "@/lib/cli/command";
import { StartError } from "@/lib/errors";

const USAGE = `Usage:  ./user-groups mcp
A Model Context Protocol server on stdin and stdout, for an agent's client to start: its tools find and read user
groups, their history, problems and usage, never their tokens. With the scope groups:write they also suspend and resume
groups, each time after the client has asked its user.
USER_GROUPS_URL is the service, USER_GROUPS_API_TOKEN an API token with the scope groups:read.`;

await runCommand({
  usage: USAGE,
  isApart: true,
  parse: withoutArguments(async () => {
    const { service, apiToken } = readCallSettings();
    const userGroups = new UserGroupsClient({ baseUrl: service.href, apiToken });
    await agentTools(userGroups, await mayChange(userGroups)).connect(new StdioServerTransport());
    // Clients end the server by closing its stdin.
    await finished(process.stdin, { writable: false }).catch(() => undefined);
    return "";
  }),
});

/** Whether the token may suspend and resume groups. The service checks scopes before the id, which is invalid. */
async function mayChange(userGroups: UserGroupsClient): Promise<boolean> {
  try {
    await userGroups.suspend("");
  } catch (error) {
    if (!(error instanceof UserGroupsError)) throw error;
    if (error.code === "forbidden") return false;
    if (error.code !== "invalid_fields") throw new StartError(describeFailure(error));
  }
  return true;
}
