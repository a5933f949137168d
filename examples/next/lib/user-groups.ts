import "server-only";
import { UserGroupsClient } from "@user-groups/client";

let client: UserGroupsClient | undefined;

/** Made with the first call: a build has no settings. */
export function userGroups(): UserGroupsClient {
  const { USER_GROUPS_URL = "", USER_GROUPS_API_TOKEN = "" } = process.env;
  client ??= new UserGroupsClient({
    baseUrl: USER_GROUPS_URL,
    apiToken: USER_GROUPS_API_TOKEN,
  });
  return client;
}
