import { WifiOff } from "lucide-react";
import { useSyncExternalStore } from "react";
import { cn } from "@/lib/browser/class-name";
import { isReachable, onConnectionChange } from "@/lib/browser/connection";

/** Shows in the header while the service cannot be reached. */
export function ConnectionState() {
  const reachable = useSyncExternalStore(onConnectionChange, isReachable, () => true);
  return (
    <p role="status" className="min-w-0 shrink-0 max-md:shrink">
      {!reachable && (
        <span
          className={cn(
            "flex h-7 items-center gap-2 rounded-md border border-warning/40 bg-warning/8 px-2 font-medium",
            "text-warning",
          )}
        >
          <WifiOff aria-hidden className="size-4 shrink-0 max-sm:hidden" />
          <span className="truncate">
            {navigator.onLine ? (
              <Words short="No answer" long="The service cannot be reached" />
            ) : (
              <Words short="Offline" long="You are offline: nothing is sent" />
            )}
          </span>
        </span>
      )}
    </p>
  );
}

/** Short on a phone; read out in full. */
function Words({ short, long }: { short: string; long: string }) {
  return (
    <>
      <span aria-hidden className="sm:hidden">
        {short}
      </span>
      <span className="max-sm:sr-only">{long}</span>
    </>
  );
}
