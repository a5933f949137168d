import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type Guides, guidesOf } from "@/components/definitions/guides";
import { useEnvironmentSlug } from "@/components/use-environment";
import { definitionsQuery } from "@/lib/definitions/queries";

/** What definitions say of a group's fields; undefined until they are known and where they are off. */
export function useGuides(): Guides | undefined {
  const { data } = useQuery(definitionsQuery(useEnvironmentSlug()));
  return useMemo(() => (data && data.enforcement !== "off" ? guidesOf(data) : undefined), [data]);
}
