import { ChevronDown } from "lucide-react";
import { type FormEvent, type ReactNode, useState } from "react";
import { Button } from "@/components/ui/button";
import { FieldError } from "@/components/ui/field";
import { Popover } from "@/components/ui/popover";

interface FilterPopoverProps {
  /** what it filters by now */
  label: ReactNode;
  title: string;
  /** the submit button's label */
  action?: string;
  /** a problem with the fields, if any */
  check?: (fields: FormData) => string | undefined;
  onSubmit: (fields: FormData) => void;
  /** the fields, or a function that gets `close` */
  children: ReactNode | ((close: () => void) => ReactNode);
}

/** A small filter form that opens at its button. */
export function FilterPopover({ label, title, action = "Apply", check, onSubmit, children }: FilterPopoverProps) {
  const [refusal, setRefusal] = useState<string>();
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
            const fields = new FormData(event.currentTarget);
            const problem = check?.(fields);
            setRefusal(problem);
            if (problem) return;
            onSubmit(fields);
            close();
          }}
          className="flex flex-col gap-3"
        >
          {typeof children === "function" ? children(close) : children}
          <FieldError>{refusal}</FieldError>
          <Button type="submit" variant="primary">
            {action}
          </Button>
        </form>
      )}
    </Popover>
  );
}
