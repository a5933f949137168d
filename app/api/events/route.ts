import { programsWith } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { readmit } from "@/lib/endpoint/credential";
import { endpoint } from "@/lib/endpoint/endpoint";
import { eventsInput } from "@/lib/events/schema";
import { serializeEvents } from "@/lib/events/serialize";
import { FEED, listEvents, STATES } from "@/lib/events/service";

export const GET = endpoint({
  access: programsWith({ scopes: [FEED], sometimes: [STATES] }),
  input: eventsInput,
  // A wait takes longer; queries have timeouts of their own.
  hasDeadline: false,
  handle: async ({ call, caller, input }) => {
    const { onClose } = call;
    return json(serializeEvents(await listEvents({ caller, input, onClose, readmit: () => readmit(call) })));
  },
});
