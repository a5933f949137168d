import { withNeeds } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { readmit } from "@/lib/endpoint/credential";
import { endpoint } from "@/lib/endpoint/endpoint";
import { eventsAnswer, eventsInput } from "@/lib/events/schema";
import { serializeEvents } from "@/lib/events/serialize";
import { FEED, listEvents, STATES } from "@/lib/events/service";

export const GET = endpoint({
  operationId: "listEvents",
  summary: "List events",
  description:
    "Returns what changed after a cursor, oldest first: each entry of the environment's history exactly once. Store " +
    "`next_cursor` when you have processed the page, and send it as `after`. Values come only with `include=states`, " +
    "a token never.",
  access: withNeeds({ scopes: [FEED], sometimes: [STATES] }),
  input: eventsInput,
  parameters: { wait: { schema: { type: "integer", minimum: 0, maximum: 30, default: 0, examples: [20] } } },
  // A call can wait for longer; queries have their own timeouts.
  hasDeadline: false,
  answered: "The events.",
  answer: eventsAnswer,
  errors: ["cursor_gone"],
  handle: async ({ call, caller, input }) => {
    const { onClose } = call;
    return json(serializeEvents(await listEvents({ caller, input, onClose, readmit: () => readmit(call) })));
  },
});
