import { perProcess } from "@/lib/config/per-process";
import { statement } from "@/lib/db/statement";
import { DeferredNotes } from "@/lib/limits/deferred-notes";

/** Requests of one API token that came from outside its networks. */
interface Refusals {
  environmentId: number;
  /** the last one, by performance.now() */
  at: number;
  count: number;
  /** where the last one came from */
  address: string;
}

const RECORD = statement("record_network_refusals")`
  UPDATE api_token t SET
    refused_count = least(t.refused_count::bigint + u.count, 2147483647),
    refused_from = CASE WHEN t.refused_at > u.at THEN t.refused_from ELSE u.address END,
    refused_at = greatest(t.refused_at, u.at)
  FROM (SELECT id, environment_id, now() - age * interval '1 millisecond' AS at, count, address
        FROM unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::text[])
          AS q(id, environment_id, age, count, address)) AS u
  WHERE t.environment_id = u.environment_id AND t.id = u.id`;

const refusals = perProcess(
  "API tokens refused by network",
  () =>
    new DeferredNotes<Refusals>({
      statement: RECORD,
      rest: (notes) => [notes.map(({ count }) => count), notes.map(({ address }) => address)],
      merge(earlier, { at, count, address }) {
        Object.assign(earlier, { at, address, count: earlier.count + count });
      },
    }),
);

/** Notes that a valid API token was refused because of where its request came from. */
export function noteNetworkRefusal(id: number, environmentId: number, address: string) {
  refusals.add(id, { environmentId, at: performance.now(), count: 1, address });
}

/** Stores the refusals noted since the last time. */
export function recordNetworkRefusals(): Promise<void> {
  return refusals.record();
}
