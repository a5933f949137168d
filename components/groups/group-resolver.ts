import { zodResolver } from "@hookform/resolvers/zod";
import { groupForm } from "@/lib/groups/schema";

/** Checks a group's form. Load it on demand: schemas are a sixth of the page's weight. */
export const groupResolver = zodResolver(groupForm);
