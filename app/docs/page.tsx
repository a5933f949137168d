import type { Metadata } from "next";
import { DocsPage } from "@/components/docs/docs-page";

export const metadata: Metadata = {
  title: "API reference · User groups",
  description: "API calls of the user group service: parameters, responses and errors.",
  // Open without sign-in, but search engines must not reveal what runs on this host.
  robots: { index: false, follow: false },
};

export default function Page() {
  return (
    <div className="min-h-dvh bg-surface">
      <DocsPage />
    </div>
  );
}
