import { useQuery } from "@tanstack/react-query";
import { use, useMemo } from "react";
import type { Guides } from "@/components/definitions/guides";
import { useEnvironmentSlug } from "@/components/use-environment";
import { load } from "@/lib/browser/load";
import { definitionsQuery } from "@/lib/definitions/queries";

let code: Promise<typeof import("@/components/definitions/guides")> | undefined;

/**
 * What definitions say of a group's fields; undefined until they are known and where they are off. Suspends until the
 * code for that is loaded, which only environments with definitions need.
 */
export function useGuides(): Guides | undefined {
  const { data } = useQuery(definitionsQuery(useEnvironmentSlug()));
  const isOn = data !== undefined && data.enforcement !== "off";
  if (isOn) code ??= load(() => import("@/components/definitions/guides"));
  const guidesOf = isOn && code ? use(code).guidesOf : undefined;
  return useMemo(() => (data && guidesOf ? guidesOf(data) : undefined), [data, guidesOf]);
}
