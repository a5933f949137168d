/** Where one wanted to go, if that is a page of ours: an address from elsewhere must not lead away. */
export function nextPage(): string {
  const next = new URLSearchParams(window.location.search).get("next") ?? "/";
  const { origin } = window.location;
  const url = URL.canParse(next, origin) ? new URL(next, origin) : undefined;
  // With its origin: a path that begins with // would name another site again.
  return url?.origin === origin ? url.href : `${origin}/`;
}

/** Leads to the page that signs in, and back to this one. */
export function toSignIn() {
  const { pathname, search } = window.location;
  window.location.replace(`/sign-in?next=${encodeURIComponent(pathname + search)}`);
}
