"use client";

import type { ComponentProps, ElementType } from "react";
import { toast } from "@/components/ui/toast";

/**
 * Components of a module that is loaded once somebody is about to use it: what opens is most of what a page would weigh,
 * and few who see a page open it. They show nothing before that, and at once after it, which React.lazy does not.
 */
export function onDemand<Module extends Record<keyof Module, ElementType>>(importModule: () => Promise<Module>) {
  let loaded: Module | undefined;
  const load = async () => {
    loaded ??= await importModule();
  };
  return {
    load,
    /** Loads it, or says that it cannot be had now and leaves the page as it is. */
    async loadOrTell(): Promise<boolean> {
      try {
        await load();
        return true;
      } catch {
        const description = "It could not be loaded. Check the connection, then try again.";
        toast({ title: "This cannot be opened now", description });
        return false;
      }
    },
    part<Name extends keyof Module>(name: Name) {
      return (props: ComponentProps<Module[Name]>) => {
        const Loaded: ElementType | undefined = loaded?.[name];
        return Loaded && <Loaded {...props} />;
      };
    },
  };
}
