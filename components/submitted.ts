import type { FormEvent } from "react";

/** Handles what a form submits in place of the browser; a form around its dialog hears nothing of it. */
export function submitted(handle: (fields: FormData) => unknown) {
  return (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    event.stopPropagation();
    handle(new FormData(event.currentTarget));
  };
}
