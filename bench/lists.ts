// Measures the latency of group lists over HTTP, and a walk of all groups: `npx tsx bench/lists.ts [groups] [requests per query and
// round]`, on the production build, with a temporary database.
import { describeLatencies, measureListsOf, walkAll } from "./list-latency";
import { print } from "./report";
import { onStage } from "./stage";

const [groups = "100000", times] = process.argv.slice(2);
await onStage({ groups: Number(groups), print }, async (stage) => {
  for (const sort of ["name", "team_id"]) {
    const { groups: walked, seconds } = await walkAll(stage, { sort });
    print(`a walk of ${walked} groups by ${sort}, in pages of 500: ${seconds.toFixed(1)} s`);
  }
  print(describeLatencies(await measureListsOf(stage, times ? { times: Number(times) } : {})));
});
