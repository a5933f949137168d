import { notFound } from "next/navigation";
import { DesignPage } from "@/components/design/design-page";

/** For those who work on the dashboard: `npm run dev` alone has this page. */
export default function Page() {
  if (process.env.NODE_ENV === "production") notFound();
  return <DesignPage />;
}
