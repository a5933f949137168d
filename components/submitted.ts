import type { FormEvent } from "react";

/** Handles a form's submission in place of the browser. The event does not reach a form around its dialog. */
export function submitted(handle: (fields: FormData) => unknown) {
  return (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    event.stopPropagation();
    handle(new FormData(event.currentTarget));
  };
}
