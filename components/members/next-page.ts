/** The page to return to, only if it is ours: a crafted link must not lead away. */
export function nextPage(): string {
  const next = new URLSearchParams(window.location.search).get("next") ?? "/";
  const { origin } = window.location;
  const url = URL.canParse(next, origin) ? new URL(next, origin) : undefined;
  // Includes the origin: a path that begins with // would name another site.
  return url?.origin === origin ? url.href : `${origin}/`;
}

let isSignedOut = false;

/** Goes to sign-in after signing out, for good. */
export function leaveSignedOut() {
  isSignedOut = true;
  window.location.assign("/sign-in");
}

/** Goes to sign-in, which then returns to this page. */
export function toSignIn() {
  // Another call's 401 must not lead back here.
  if (isSignedOut) return;
  const { pathname, search } = window.location;
  window.location.replace(`/sign-in?next=${encodeURIComponent(pathname + search)}`);
}
