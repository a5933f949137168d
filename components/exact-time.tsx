import { formatTime, utcOf } from "@/components/relative-time";
import { useZone } from "@/components/ui/time-zone";

/** The date and time, and below it the time in UTC, unless that is the zone. */
export function ExactTime({ at }: { at: string }) {
  const zone = useZone();
  return (
    <time dateTime={at}>
      {zone && formatTime(at)}
      {zone !== "utc" && <span className="block text-text-muted text-xs">{utcOf(at)}</span>}
    </time>
  );
}
