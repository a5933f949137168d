import type { ReactNode } from "react";

/** All settings pages are equally wide, except those with two columns. */
export default function SettingsLayout({ children }: { children: ReactNode }) {
  return <div className="max-w-238 has-data-wide:max-w-none">{children}</div>;
}
