import type { FormEvent } from "react";

/** Handles what a form submits in place of the browser. */
export function submitted(handle: (fields: FormData) => unknown) {
  return (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    handle(new FormData(event.currentTarget));
  };
}
