import "server-only";
import { UserGroupsClient } from "@user-groups/client";

let client: UserGroupsClient | undefined;

/** Made with the first call: a build has no settings. */
export function userGroups(): UserGroupsClient {
  const { USER_GROUPS_URL = "", USER_GROUPS_API_TOKEN = "" } = process.env;
  client ??= new UserGroupsClient({ baseUrl: USER_GROUPS_URL, apiToken: USER_GROUPS_API_TOKEN });
  return client;
}

/** The user group token: it never leaves the server. */
export async function tokenOf(customer: string): Promise<string> {
  const { user_group } = await userGroups().getOrCreate({ user_group_id: customer });
  return user_group.token;
}
