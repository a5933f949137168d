/** How long the first in a queue may have waited while the queue moves, in milliseconds. */
const MOST_MS = 200;

/**
 * Tells an overload, in which a queue moves too slowly, from an outage, in which it stands still: those who wait for the end of an
 * outage are served, but under an overload the longer everybody waits, the more are answered too late.
 */
export class Pace {
  private movingSince = 0;
  private movedAt = Number.NEGATIVE_INFINITY;

  /** Notes that the first in the queue had its turn, or that work in front of it is done. */
  moved() {
    const now = performance.now();
    if (now - this.movedAt > MOST_MS) this.movingSince = now;
    this.movedAt = now;
  }

  /** Whether to refuse another one; `since` is when the first in the queue began to wait, by performance.now(). */
  isTooSlow(since: number): boolean {
    const now = performance.now();
    return now - Math.max(since, this.movingSince) > MOST_MS && now - this.movedAt <= MOST_MS;
  }
}
