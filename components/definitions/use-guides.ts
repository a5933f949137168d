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

/** Only environments with definitions need it. Undefined where it cannot be loaded: the service checks all the same. */
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

/** What definitions say of a group's fields; undefined until they are known and where they are off. */
export function useGuides(): Guides | undefined {
  const { data } = useQuery(definitionsQuery(useEnvironmentSlug()));
  const isOn = data !== undefined && data.enforcement !== "off";
  const isInBrowser = useInBrowser();
  // The page that the server sent has them: hydration waits. Later nothing may wait, as unsaved fields stay in use.
  const [code, setCode] = useState(isOn && !isInBrowser ? use(loadCode()) : loaded);
  useEffect(() => {
    if (isOn) void loadCode().then(setCode);
  }, [isOn]);
  const guidesOf = isOn ? code?.guidesOf : undefined;
  return useMemo(() => (data && guidesOf ? guidesOf(data) : undefined), [data, guidesOf]);
}
