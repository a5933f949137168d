import { Component, type ComponentType, lazy, type ReactNode, Suspense, useId } from "react";
import { useChangesBeforeHydration } from "@/components/alive";
import { Failure } from "@/components/failure";
import { useInBrowser } from "@/components/use-in-browser";
import { load } from "@/lib/browser/load";

/** A part of a page whose code loads once it is shown. (next/dynamic would add more than it saves.) */
export function part<Props extends object>(importPart: () => Promise<ComponentType<Props>>, fallback?: ReactNode) {
  const Loaded = lazy(async () => ({ default: await load(importPart) })) as unknown as ComponentType<Props>;
  return (props: Props) => (
    <Caught>
      <Suspense fallback={fallback}>
        <Hydrated>
          <Loaded {...props} />
        </Hydrated>
      </Suspense>
    </Caught>
  );
}

/** Keeps the page. After a new release, only a reload helps. (Next's catchError would add its error page's code.) */
class Caught extends Component<{ children: ReactNode }, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (!("error" in this.state)) return this.props.children;
    const { error } = this.state;
    return (
      <Failure
        title="This could not be loaded"
        error={error instanceof Error ? error : new Error(String(error))}
        onRetry={() => window.location.reload()}
      />
    );
  }
}

/** Makes controls wait until they are hydrated (globals.css), which is later than for the rest of the page. */
function Hydrated({ children }: { children: ReactNode }) {
  const id = useId();
  const isInBrowser = useInBrowser();
  useChangesBeforeHydration(isInBrowser ? undefined : `:is([data-part="${id}"] *)`);
  return (
    <div data-part={id} aria-busy={!isInBrowser || undefined} className="contents">
      {children}
    </div>
  );
}
