import { useEffect, useState } from "react";

/** As long as most answers take at most, in milliseconds. */
const LATE_MS = 150;

/** Whether it has been so for a while: shorter waits need no look of their own, which costs two paints. */
export function useLate(isWaiting: boolean): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [isWaiting]);
  return isWaiting && isLate;
}
