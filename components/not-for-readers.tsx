import { Breadcrumb } from "@/components/breadcrumb";
import { PageHeader } from "@/components/page-header";

interface NotForReadersProps {
  title: string;
  /** "import user groups" */
  what: string;
}

/** Replaces a page below the list of groups that readers cannot use. */
export function NotForReaders({ title, what }: NotForReadersProps) {
  return (
    <>
      <Breadcrumb inGroups here={title} />
      <PageHeader title={title} />
      <p className="text-text-muted">Readers cannot {what}. Ask an owner for another role.</p>
    </>
  );
}
