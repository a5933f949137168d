import { useQuery } from "@tanstack/react-query";
import { use, useEffect, useMemo, useState } from "react";
import type { Guides } from "@/components/definitions/guides";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useInBrowser } from "@/components/use-in-browser";
import { load } from "@/lib/browser/load";
import { definitionsQuery } from "@/lib/definitions/queries";

type Code = typeof import("@/components/definitions/guides");

let loaded: Code | undefined;
let loading: Promise<Code | undefined> | undefined;

/** Loads on demand, for environments with definitions. Undefined if loading fails: the service checks anyway. */
function loadCode() {
  loading ??= load(() => import("@/components/definitions/guides")).then(
    (code) => {
      loaded = code;
      return code;
    },
    () => undefined,
  );
  return loading;
}

/** What definitions say about a group's fields; undefined until loaded, or if definitions are off. */
export function useGuides(): Guides | undefined {
  const { data } = useQuery(definitionsQuery(useEnvironmentSlug()));
  const isOn = data !== undefined && data.enforcement !== "off";
  const isInBrowser = useInBrowser();
  // The server's page shows guides, so hydration waits for the code. Later nothing may suspend: fields are in use.
  const [code, setCode] = useState(isOn && !isInBrowser ? use(loadCode()) : loaded);
  useEffect(() => {
    if (isOn) void loadCode().then(setCode);
  }, [isOn]);
  const guidesOf = isOn ? code?.guidesOf : undefined;
  return useMemo(() => (data && guidesOf ? guidesOf(data) : undefined), [data, guidesOf]);
}
