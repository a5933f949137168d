// Measures the latency of group lists over HTTP: `npx tsx bench/lists.ts [groups] [requests per query and round]`.
import { describeLatencies, measureListsOf } from "./list-latency";
import { print } from "./report";
import { onStage } from "./stage";

const [groups = "100000", times] = process.argv.slice(2);
await onStage({ groups: Number(groups), print }, async (stage) => {
  print(describeLatencies(await measureListsOf(stage, times ? { times: Number(times) } : {})));
});
