import { type ComponentProps, type ElementType, useState } from "react";
import { toast } from "@/components/ui/toast";

/** Loads the components of one or several modules. */
export interface Loading {
  load: () => Promise<void>;
  /** Loads them, or shows a toast if that fails. */
  loadOrTell: () => Promise<boolean>;
}

/** Loads several modules as one. */
export function together(...all: Loading[]): Loading {
  return loading(async () => void (await Promise.all(all.map(({ load }) => load()))));
}

function loading(load: () => Promise<void>): Loading {
  return {
    load,
    async loadOrTell() {
      // Shown by globals.css.
      document.body.toggleAttribute("data-loading", true);
      try {
        await load();
        return true;
      } catch {
        const description = "It could not be loaded. Check the connection, then try again.";
        toast({ title: "This cannot be opened now", description });
        return false;
      } finally {
        document.body.toggleAttribute("data-loading", false);
      }
    },
  };
}

/**
 * Components of a module that loads shortly before use: popups would be most of a page's weight, and few visitors open
 * one. Unlike with React.lazy, they render nothing before loading, and render immediately afterwards.
 */
export function onDemand<Module extends Record<keyof Module, ElementType>>(importModule: () => Promise<Module>) {
  let loaded: Module | undefined;
  return {
    ...loading(async () => {
      loaded ??= await importModule();
    }),
    part<Name extends keyof Module>(name: Name) {
      return (props: ComponentProps<Module[Name]>) => {
        const Loaded: ElementType | undefined = loaded?.[name];
        return Loaded && <Loaded {...props} />;
      };
    },
  };
}

/** State of a popup that loads on demand: what is open, a function that loads and opens it, and one that closes it. */
export function useOpen<Open>({ loadOrTell }: Loading) {
  const [open, setOpen] = useState<Open>();
  const show = async (next: Open) => {
    if (await loadOrTell()) setOpen(() => next);
  };
  return [open, show, () => setOpen(undefined)] as const;
}
