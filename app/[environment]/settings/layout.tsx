import type { ReactNode } from "react";

/** All settings are equally wide, but for those of two columns. */
export default function SettingsLayout({ children }: { children: ReactNode }) {
  return <div className="max-w-238 has-data-wide:max-w-none">{children}</div>;
}
