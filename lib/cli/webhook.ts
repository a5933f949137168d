import { parseArgs } from "node:util";
import { OPERATOR, runCommand } from "@/lib/cli/command";
import { table } from "@/lib/cli/table";
import { findEnvironment } from "@/lib/environments/service";
import { StartError } from "@/lib/errors";
import { checkFields } from "@/lib/json/fields";
import { listDeliveries } from "@/lib/webhooks/deliveries";
import { deliveriesInput, newWebhook, webhookChange, webhookInput, webhookReplay } from "@/lib/webhooks/schema";
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listWebhooks,
  replayWebhook,
  rotateWebhookSecret,
  testWebhook,
  type WebhookAuthor,
  type WebhookWithHealth,
} from "@/lib/webhooks/service";

const USAGE = `Usage:
  ./user-groups webhook list
  ./user-groups webhook create --url URL [--description TEXT] [--type TYPE …]
  ./user-groups webhook update ID [--url URL] [--description TEXT] [--type TYPE … | --all-types] [--enable | --disable] [--from-now]
  ./user-groups webhook delete ID
  ./user-groups webhook rotate-secret ID
  ./user-groups webhook test ID
  ./user-groups webhook replay ID --delivery ID | --failed | --since TIME
  ./user-groups webhook deliveries ID [--state waiting | delivered | failed]
--environment defaults to testing. create and rotate-secret print only the secret, which cannot be shown again. --type takes an
action of the history such as user_group.updated, or user_group.*; without it all are sent. --from-now skips what was not sent yet.`;

const OPTIONS = {
  environment: { type: "string", default: "testing" },
  url: { type: "string" },
  description: { type: "string" },
  type: { type: "string", multiple: true },
  "all-types": { type: "boolean" },
  enable: { type: "boolean" },
  disable: { type: "boolean" },
  "from-now": { type: "boolean" },
  delivery: { type: "string" },
  failed: { type: "boolean" },
  since: { type: "string" },
  state: { type: "string" },
} as const;

type Values = ReturnType<typeof readOptions>["values"];

const readOptions = () => parseArgs({ allowPositionals: true, options: OPTIONS });

/** What a command does in an environment, with the options that it takes. */
interface Verb {
  options: (keyof Values)[];
  hasId: boolean;
  /** checks the input first */
  prepare(id: number, values: Values): (place: WebhookAuthor) => Promise<string>;
}

const VERBS: Record<string, Verb> = {
  list: { options: [], hasId: false, prepare: () => list },
  create: {
    options: ["url", "description", "type"],
    hasId: false,
    prepare(_id, { url, description, type: types }) {
      const input = check(newWebhook, { url, description, types });
      return async (place) => `${(await createWebhook(place, input)).secret}\n`;
    },
  },
  update: {
    options: ["url", "description", "type", "all-types", "enable", "disable", "from-now"],
    hasId: true,
    prepare(id, { url, description, type, enable, disable, ...rest }) {
      if (enable && disable) throw new StartError("Give either --enable or --disable.");
      if (type && rest["all-types"]) throw new StartError("Give either --type or --all-types.");
      const input = check(webhookChange, {
        ...{ webhook_id: id, url, description },
        types: rest["all-types"] ? null : type,
        enabled: enable ?? (disable ? false : undefined),
        from: rest["from-now"] ? "now" : undefined,
      });
      return async (place) => {
        await changeWebhook(place, input);
        return `Webhook ${id} is changed.\n`;
      };
    },
  },
  delete: {
    options: [],
    hasId: true,
    prepare: (id) => async (place) => {
      await deleteWebhook(place, id);
      return `Webhook ${id} is deleted.\n`;
    },
  },
  "rotate-secret": {
    options: [],
    hasId: true,
    prepare: (id) => async (place) => `${(await rotateWebhookSecret(place, id)).secret}\n`,
  },
  test: {
    options: [],
    hasId: true,
    prepare: (id) => async (place) => {
      await testWebhook(place, id);
      return `A running service sends a test event to webhook ${id}. See the outcome with: deliveries ${id}\n`;
    },
  },
  replay: {
    options: ["delivery", "failed", "since"],
    hasId: true,
    prepare(id, { delivery: delivery_id, failed, since }) {
      const input = check(webhookReplay, { webhook_id: id, delivery_id, failed, since });
      return async (place) => {
        const count = await replayWebhook(place, input);
        return count === null ? "Sending again: all events since then.\n" : `Deliveries to send again: ${count}.\n`;
      };
    },
  },
  deliveries: {
    options: ["state"],
    hasId: true,
    prepare(id, { state }) {
      const input = check(deliveriesInput, { webhook_id: String(id), state, limit: "100" });
      return (place) => deliveries(place, input);
    },
  },
};

await runCommand({
  usage: USAGE,
  parse() {
    const { values, positionals } = readOptions();
    const [name = "", ...operands] = positionals;
    const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
    if (!verb) throw new StartError(`Give a command: ${Object.keys(VERBS).join(", ")}.`);
    const id = verb.hasId ? check(webhookInput, { webhook_id: Number(operands.shift()) }).webhook_id : 0;
    if (operands.length > 0) throw new StartError(`Unexpected argument "${operands[0]}".`);
    const { environment: slug, ...given } = values;
    for (const option of Object.keys(given)) {
      if (!(verb.options as string[]).includes(option)) throw new StartError(`--${option} does not belong to ${name}.`);
    }
    const work = verb.prepare(id, values);
    return async () => work({ environmentId: (await findEnvironment(slug)).id, author: OPERATOR });
  },
});

function check<Schema extends Parameters<typeof checkFields>[1]>(schema: Schema, given: Record<string, unknown>) {
  const members = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const { value, issues } = checkFields(members, schema);
  if (!issues) return value;
  const [{ path = [], message = "" } = {}] = issues;
  throw new StartError(`${[...path, message].join(" ")}.`);
}

async function list({ environmentId }: WebhookAuthor): Promise<string> {
  return table([
    ["ID", "URL", "TYPES", "STATE", "WAITING", "LAST DELIVERED", "DESCRIPTION"],
    ...(await listWebhooks(environmentId)).map((webhook) => [
      ...[String(webhook.id), webhook.url, webhook.types?.join(" ") ?? "all", stateOf(webhook)],
      ...[String(webhook.waiting), webhook.last_delivered_at?.toISOString() ?? "never", webhook.description],
    ]),
  ]);
}

function stateOf({ enabled, disabled_reason, failing_since }: WebhookWithHealth): string {
  if (!enabled) return `disabled (${disabled_reason})`;
  return failing_since ? `failing since ${failing_since.toISOString()}` : "enabled";
}

async function deliveries(
  { environmentId }: WebhookAuthor,
  input: Parameters<typeof listDeliveries>[1],
): Promise<string> {
  const { rows } = await listDeliveries(environmentId, input);
  return table([
    ["ID", "CREATED", "TYPE", "STATE", "ATTEMPTS", "LAST", "NEXT"],
    ...rows.map(({ id, created_at, type, state, attempts, next_at }) => {
      const last = attempts.at(-1);
      const outcome = last ? String(last.status ?? last.error) : "";
      const next = next_at?.toISOString() ?? "";
      return [id, created_at.toISOString(), type, state, String(attempts.length), outcome, next];
    }),
  ]);
}
