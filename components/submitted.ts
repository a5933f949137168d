import type { FormEvent } from "react";

/** Handles a form's submission in place of the browser. Stops the event from reaching an enclosing form. */
export function submitted(handle: (fields: FormData) => unknown) {
  return (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    event.stopPropagation();
    handle(new FormData(event.currentTarget));
  };
}
