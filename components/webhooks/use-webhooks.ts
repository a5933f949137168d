import { useQuery } from "@tanstack/react-query";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { webhooksQuery } from "@/lib/webhooks/queries";

/** Polling interval of their health, in milliseconds. */
const LOOK_MS = 5_000;

/** The environment's webhooks, polled for their health. Readers may not ask. */
export function useWebhooks() {
  return useQuery({
    ...webhooksQuery(useEnvironmentSlug()),
    enabled: useCanWrite(),
    refetchInterval: LOOK_MS,
  });
}
