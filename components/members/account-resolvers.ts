import { zodResolver } from "@hookform/resolvers/zod";
import { accountChange, passwordChange } from "@/lib/members/schema";

/** Check the forms of an account. Load them on demand: schemas are a sixth of the page's weight. */
export const nameResolver = zodResolver(accountChange);
export const passwordResolver = zodResolver(passwordChange);
