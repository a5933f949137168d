import { Breadcrumb } from "@/components/breadcrumb";
import { PageHeader } from "@/components/page-header";

interface NotForReadersProps {
  title: string;
  /** "import user groups" */
  what: string;
  /** the page is below the list of groups */
  inGroups?: boolean;
}

/** Replaces a page that readers cannot use. */
export function NotForReaders({ title, what, inGroups = true }: NotForReadersProps) {
  return (
    <>
      {inGroups && <Breadcrumb inGroups here={title} />}
      <PageHeader title={title} />
      <p className="text-text-muted">Readers cannot {what}. Ask an owner for another role.</p>
    </>
  );
}
