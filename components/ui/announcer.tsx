import { useEffect, useState } from "react";

/** Long enough to be read out, short enough not to be found when browsing the page later. */
const SPOKEN_MS = 7_000;

let speak: ((text: string) => void) | undefined;

/** Announces a result to screen readers. Never pass it a secret. */
export function announce(text: string) {
  speak?.(text);
}

/** The one live region. It is mounted empty: screen readers announce only what enters a region they already know. */
export function Announcer() {
  const [said, setSaid] = useState({ text: "", count: 0 });
  useEffect(() => {
    if (said.text === "") return;
    const timer = setTimeout(() => setSaid(({ count }) => ({ text: "", count })), SPOKEN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  useEffect(() => {
    speak = (text) => setSaid(({ count }) => ({ text, count: count + 1 }));
    return () => {
      speak = undefined;
    };
  }, []);
  return (
    <div data-announcer aria-live="polite" className="sr-only">
      {/* A new key, so that a repeated text is announced again. */}
      <p key={said.count}>{said.text}</p>
    </div>
  );
}
