import { ChevronDown } from "lucide-react";
import type { FormEvent, ReactNode } from "react";
import { Button } from "@/components/ui/button";
import { Popover } from "@/components/ui/popover";

interface FilterPopoverProps {
  /** what it filters by now */
  label: string;
  title: string;
  onSubmit: (fields: FormData) => void;
  /** the fields, from a function that closes it */
  children: (close: () => void) => ReactNode;
}

/** A small filter form that opens at its button. */
export function FilterPopover({ label, title, onSubmit, children }: FilterPopoverProps) {
  return (
    <Popover
      button={{
        className: "min-w-0 justify-start gap-2 px-2.5 font-normal",
        children: (
          <>
            <span className="truncate">{label}</span>
            <ChevronDown aria-hidden className="ml-auto" />
          </>
        ),
      }}
      title={title}
    >
      {(close) => (
        <form
          onSubmit={(event: FormEvent<HTMLFormElement>) => {
            event.preventDefault();
            onSubmit(new FormData(event.currentTarget));
            close();
          }}
          className="flex flex-col gap-3"
        >
          {children(close)}
          <Button type="submit" variant="primary">
            Apply
          </Button>
        </form>
      )}
    </Popover>
  );
}
