/** The first Tab stop: skips the navigation. */
export function SkipLink() {
  return (
    <a
      href="#content"
      className="fixed top-2 left-2 z-60 rounded-md bg-raised px-3 py-2 shadow-popup not-focus:-translate-y-20"
    >
      Skip to content
    </a>
  );
}
