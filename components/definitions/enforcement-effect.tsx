import { Notice } from "@/components/ui/notice";
import type { Definitions } from "@/lib/definitions/schema";

type Enforcement = Definitions["enforcement"];

interface EnforcementEffectProps {
  /** definitions as JSON text */
  before: string;
  after: string;
}

/** What the change does to groups from now on, where it does something. */
export function EnforcementEffect({ before, after }: EnforcementEffectProps) {
  const [was, is] = [before, after].map((text): Enforcement => JSON.parse(text).enforcement);
  if (was === is) return null;
  if (is === "enforce") {
    return (
      <Notice tone="warning" title="Changes that add a problem will be refused">
        <p>This includes API calls, which get a 422. Problems that groups have already block no other change.</p>
      </Notice>
    );
  }
  return (
    <Notice>
      <p>
        {is === "report"
          ? "Problems will be shown and counted, defaults will apply, and no change is refused."
          : "Nothing will be checked, and no defaults will apply."}
      </p>
    </Notice>
  );
}
