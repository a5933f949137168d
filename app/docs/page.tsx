import type { Metadata } from "next";
import { DocsPage } from "@/components/docs/docs-page";

export const metadata: Metadata = {
  title: "API reference · User groups",
  description: "The calls of the user group service: what they take, what they answer, how they fail.",
  // It is open to all who reach the service, and still nobody's to find: what runs here is its operator's to tell.
  robots: { index: false, follow: false },
};

export default function Page() {
  return <DocsPage />;
}
