import { SecretTextDialog } from "@/components/secret-dialog";

interface OneTimeLinkProps {
  link: string;
  title: string;
  description: string;
  onClose: () => void;
}

/** Shows a one-time link once. */
export function OneTimeLink({ link, ...dialog }: OneTimeLinkProps) {
  return (
    <SecretTextDialog
      what="link"
      secret={link}
      advice="Send it privately: the first person to open it can use it."
      redo="create another"
      verb="Done"
      {...dialog}
    />
  );
}
