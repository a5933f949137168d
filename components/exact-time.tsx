import { formatTime, utcOf } from "@/components/relative-time";
import { useInBrowser } from "@/components/use-in-browser";

/** The local date and time, and below it the time in UTC. */
export function ExactTime({ at }: { at: string }) {
  const isInBrowser = useInBrowser();
  return (
    <time dateTime={at}>
      {isInBrowser && formatTime(at)}
      <span className="block text-text-muted text-xs">{utcOf(at)}</span>
    </time>
  );
}
