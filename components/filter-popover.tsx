"use client";

import { type FormEvent, type ReactNode, useState } from "react";
import { Button, type ButtonProps } from "@/components/ui/button";
import { Popover } from "@/components/ui/popover";

interface FilterPopoverProps {
  /** the button that opens it */
  button: ButtonProps;
  title: string;
  /** what its last button says */
  action?: string;
  /** what is wrong with the fields, if anything */
  check?: (fields: FormData) => string | undefined;
  onSubmit: (fields: FormData) => void;
  /** the fields, or what gives them what closes it */
  children: ReactNode | ((close: () => void) => ReactNode);
}

/** A few fields by which a list is narrowed, beside the button that says how it is. */
export function FilterPopover({ button, title, action = "Apply", check, onSubmit, children }: FilterPopoverProps) {
  const [refusal, setRefusal] = useState<string>();
  return (
    <Popover button={button} title={title}>
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
          {refusal && (
            <p role="alert" className="text-danger text-xs">
              {refusal}
            </p>
          )}
          <Button type="submit" variant="primary">
            {action}
          </Button>
        </form>
      )}
    </Popover>
  );
}
