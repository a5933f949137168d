import type { ReactNode } from "react";
import { Shell } from "@/components/shell/shell";

export default function EnvironmentLayout({ children }: { children: ReactNode }) {
  return <Shell>{children}</Shell>;
}
