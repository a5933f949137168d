import { listWebhooksMadeBy } from "@/lib/api-tokens/made";
import { apiTokenId } from "@/lib/api-tokens/schema";
import { requireApiTokenOf } from "@/lib/api-tokens/service";
import { environmentOf } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";

export const GET = endpoint({
  access: members("admin"),
  input: apiTokenId,
  handle: async ({ caller, input: { id } }) => {
    await requireApiTokenOf(environmentOf(caller), id);
    return json({ webhooks: await listWebhooksMadeBy({ type: "api_token", id: String(id) }) });
  },
});
