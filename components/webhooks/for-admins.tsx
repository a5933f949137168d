import { Webhook } from "lucide-react";
import type { ReactNode } from "react";
import { EmptyPanel } from "@/components/empty-panel";
import { PageHeader } from "@/components/page-header";
import { useIsReader } from "@/components/use-member";

/** Shows readers a notice in place of the page, as the service tells them nothing about webhooks. */
export function ForAdmins({ children }: { children: ReactNode }) {
  if (!useIsReader()) return children;
  return (
    <>
      <PageHeader title="Webhooks" />
      <EmptyPanel icon={Webhook} title="Owners and admins manage webhooks">
        <p>Ask an owner for the Admin role to see them.</p>
      </EmptyPanel>
    </>
  );
}
