import type { WantedWebhook } from "@/lib/settings/schema";
import type { StoredWebhook } from "@/lib/settings/stored";
import { webhookSnapshot } from "@/lib/webhooks/rows";

/** What becomes of a webhook: without `was` it is created, without `is` deleted. */
export interface WebhookPair {
  was: StoredWebhook | undefined;
  is: WantedWebhook | undefined;
}

/** Webhooks as the document has them: what a query says may be secret. */
export function shownWebhooks(webhooks: StoredWebhook[]) {
  return webhooks.map((webhook) => ({ ...webhookSnapshot(webhook), enabled: webhook.enabled }));
}

/** Finds the stored webhook of each wanted one: by its URL, or without a query by its address. */
export function pairWebhooks(stored: StoredWebhook[], wanted: WantedWebhook[]): WebhookPair[] {
  const left = [...stored];
  const take = (fits: (one: StoredWebhook) => boolean) => {
    const at = left.findIndex(fits);
    return at === -1 ? undefined : left.splice(at, 1)[0];
  };
  const hasQuery = ({ url }: WantedWebhook) => url.includes("?");
  const exact = new Map(wanted.filter(hasQuery).map((is) => [is, take(({ url }) => url === is.url)]));
  const pairs = wanted.map((is): WebhookPair => {
    const was = hasQuery(is) ? exact.get(is) : take((one) => webhookSnapshot(one).url === is.url);
    return { was, is };
  });
  return [...pairs, ...left.map((was) => ({ was, is: undefined }))];
}

/** Both sides as JSON objects of webhooks by address, to find their differences. */
export function webhookTexts(pairs: WebhookPair[]): [before: string, after: string] {
  const [before, after] = [new Map<string, object>(), new Map<string, object>()];
  for (const { was, is } of pairs) {
    const name = freeName(webhookSnapshot((was ?? is) as StoredWebhook).url, [before, after]);
    if (was) before.set(name, settingOf(was));
    if (is) after.set(name, settingOf(is));
  }
  return [JSON.stringify(Object.fromEntries(before)), JSON.stringify(Object.fromEntries(after))];
}

/** Whether a paired webhook stays as it is. */
export function isSameWebhook(was: StoredWebhook, is: WantedWebhook): boolean {
  return JSON.stringify(settingOf(was)) === JSON.stringify(settingOf(is));
}

function settingOf({ description, types, enabled }: StoredWebhook | WantedWebhook) {
  return { description, types: types?.toSorted() ?? null, enabled };
}

function freeName(address: string, taken: Map<string, object>[]): string {
  const isFree = (name: string) => !taken.some((names) => names.has(name));
  for (let count = 1; ; count++) {
    const name = count === 1 ? address : `${address} (${count})`;
    if (isFree(name)) return name;
  }
}
