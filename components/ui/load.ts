import { toast } from "@/components/ui/toast";

/** Loads what is about to show. Where it cannot be had a toast says so, and the page stays as it is. */
export async function isLoaded(load: () => Promise<unknown>): Promise<boolean> {
  try {
    await load();
    return true;
  } catch {
    const description = "It could not be loaded. Check the connection, then try again.";
    toast({ title: "This cannot be opened now", description });
    return false;
  }
}
