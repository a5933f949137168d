import { StartError } from "@/lib/errors";

/** The values of --overlap in seconds. */
const OVERLAP_SECONDS = { "0": 0, "1h": 3_600, "24h": 86_400, "7d": 604_800 } as const;

/** How long a replaced token stays valid, in seconds, from the value of --overlap. */
export function readOverlap(text: string) {
  if (Object.hasOwn(OVERLAP_SECONDS, text)) return OVERLAP_SECONDS[text as keyof typeof OVERLAP_SECONDS];
  throw new StartError(`--overlap is invalid: "${text}". Use ${Object.keys(OVERLAP_SECONDS).join(", ")}.`);
}
