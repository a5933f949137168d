"use client";

import type { FormEvent, ReactNode } from "react";
import { Button, type ButtonProps } from "@/components/ui/button";
import { Popover } from "@/components/ui/popover";

interface FilterPopoverProps {
  /** the button that opens it */
  button: ButtonProps;
  title: string;
  /** what its last button says */
  action?: string;
  onSubmit: (fields: FormData) => void;
  /** the fields, or what gives them what closes it */
  children: ReactNode | ((close: () => void) => ReactNode);
}

/** A few fields by which a list is narrowed, beside the button that says how it is. */
export function FilterPopover({ button, title, action = "Apply", onSubmit, children }: FilterPopoverProps) {
  return (
    <Popover button={button} title={title}>
      {(close) => (
        <form
          onSubmit={(event: FormEvent<HTMLFormElement>) => {
            event.preventDefault();
            onSubmit(new FormData(event.currentTarget));
            close();
          }}
          className="flex flex-col gap-3"
        >
          {typeof children === "function" ? children(close) : children}
          <Button type="submit" variant="primary">
            {action}
          </Button>
        </form>
      )}
    </Popover>
  );
}
