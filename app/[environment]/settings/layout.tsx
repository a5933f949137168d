import type { ReactNode } from "react";

/** All settings are equally wide. */
export default function SettingsLayout({ children }: { children: ReactNode }) {
  return <div className="max-w-238">{children}</div>;
}
