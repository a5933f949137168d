import type { Metadata } from "next";
import { ImportStartPage } from "@/components/imports/import-start-page";

export const metadata: Metadata = { title: "Import user groups" };

export default function Page() {
  return <ImportStartPage />;
}
