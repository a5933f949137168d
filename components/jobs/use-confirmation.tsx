import { useState } from "react";
import { ConfirmText } from "@/components/confirm-text";
import { useIsCustomer } from "@/components/use-environment";

/** Changing this many customers or more must be confirmed by typing. */
const MANY = 100;

/** In Customer environments, asks to type the action and the number of groups if they are many or `isAsked`. */
export function useConfirmation(verb: string, count: number, isAsked = count >= MANY) {
  const isCustomer = useIsCustomer();
  const [typed, setTyped] = useState("");
  const expected = `${verb} ${count}`;
  const isNeeded = isAsked && isCustomer;
  return {
    isMet: !isNeeded || typed === expected,
    field: isNeeded && <ConfirmText expected={expected} value={typed} onChange={setTyped} />,
  };
}
