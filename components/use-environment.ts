import { useQuery } from "@tanstack/react-query";
import { useParams } from "next/navigation";
import { createContext, useContext, useEffect } from "react";
import { browserStore } from "@/components/ui/browser-store";
import { useInBrowser } from "@/components/use-in-browser";
import type { OfferedEnvironment } from "@/lib/environments/schema";
import { sessionQuery } from "@/lib/members/queries";

const last = browserStore("environment", (text) => text);

const Instead = createContext<string | undefined>(undefined);

/** Provides the environment for pages whose URL names none. */
export const EnvironmentInstead = Instead.Provider;

/** The environment's slug from the URL. */
export function useEnvironmentSlug(): string {
  const { environment } = useParams<{ environment: string }>();
  return useContext(Instead) ?? environment;
}

/** The environment in the URL, once loaded. */
export function useEnvironment() {
  const slug = useEnvironmentSlug();
  const { data } = useQuery(sessionQuery);
  return data?.environments.find((one) => one.slug === slug);
}

/** The name of the environment in the URL, for use in sentences. */
export function useEnvironmentName(): string {
  return useEnvironment()?.name ?? "this environment";
}

/** Whether the environment in the URL serves customers: there, irreversible actions take more than a click. */
export function useIsCustomer(): boolean {
  return useEnvironment()?.tag !== "Testing";
}

/** How many other environments a search covers: each takes a request. */
const MAX_OTHERS = 9;

/** The slug in the URL, and those of the first other environments. */
export function useSlugs(): string[] {
  const slug = useEnvironmentSlug();
  const { data } = useQuery(sessionQuery);
  const others = data?.environments.map((one) => one.slug).filter((one) => one !== slug) ?? [];
  return [slug, ...others.slice(0, MAX_OTHERS)];
}

/** Remembers the environment in the URL for the next visit, but not a fallback, which no one chose. */
export function useRememberEnvironment() {
  const { environment } = useParams<{ environment?: string }>();
  const { data } = useQuery(sessionQuery);
  const isKnown = data?.environments.some(({ slug }) => slug === environment) ?? false;
  useEffect(() => {
    if (isKnown && environment !== undefined) last.keep(environment);
  }, [isKnown, environment]);
}

/** The environment to open: the last one opened in this browser, else the first with groups, else the first. */
export function useHome(environments: OfferedEnvironment[]): string {
  const opened = useInBrowser() ? last.read() : null;
  const find = (fits: (one: OfferedEnvironment) => boolean) => environments.find(fits)?.slug;
  return find(({ slug }) => slug === opened) ?? find(({ hasGroups }) => hasGroups) ?? environments[0]?.slug ?? "";
}
