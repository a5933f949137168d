import { useState } from "react";
import { ConfirmText } from "@/components/confirm-text";
import { useEnvironment } from "@/components/use-environment";

/** From this many groups on, a change of customers is confirmed by typing. */
const MANY = 100;

/** Asks to type what happens to how many groups, where they are customers and many, or it is asked for. */
export function useConfirmation(verb: string, count: number, isAsked = count >= MANY) {
  const environment = useEnvironment();
  const [typed, setTyped] = useState("");
  const expected = `${verb} ${count}`;
  const isNeeded = isAsked && environment?.tag !== "Testing";
  return {
    isMet: !isNeeded || typed === expected,
    field: isNeeded && <ConfirmText expected={expected} value={typed} onChange={setTyped} />,
  };
}
