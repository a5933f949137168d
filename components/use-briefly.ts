import { useEffect, useState } from "react";

/** A state that resets to undefined after some milliseconds. */
export function useBriefly<Value>(ms: number) {
  const [value, setValue] = useState<Value>();
  useEffect(() => {
    if (value === undefined) return;
    const timer = setTimeout(() => setValue(undefined), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return [value, setValue] as const;
}
