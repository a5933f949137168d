/**
 * Lets parties share places. A party never occupies more than are still free, so that slow work of one leaves places to
 * the others; a place that becomes free goes to the waiting party that occupies the fewest.
 */
export class Turns<Party> {
  readonly #occupied = new Map<Party, number>();
  readonly #waiting = new Map<Party, (() => void)[]>();
  #all = 0;

  constructor(readonly places: number) {}

  /** Does a party's work once it has a place. */
  async take<T>(party: Party, work: () => Promise<T>): Promise<T> {
    if (this.#mayEnter(party)) this.#enter(party);
    else await new Promise<void>((enter) => this.#waiting.set(party, [...(this.#waiting.get(party) ?? []), enter]));
    try {
      return await work();
    } finally {
      this.#leave(party);
    }
  }

  #count(party: Party): number {
    return this.#occupied.get(party) ?? 0;
  }

  #mayEnter(party: Party): boolean {
    return this.#count(party) < this.places - this.#all;
  }

  #enter(party: Party) {
    this.#all++;
    this.#occupied.set(party, this.#count(party) + 1);
  }

  #leave(party: Party) {
    this.#all--;
    const left = this.#count(party) - 1;
    if (left > 0) this.#occupied.set(party, left);
    else this.#occupied.delete(party);
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const [enter, ...rest] = this.#waiting.get(next) ?? [];
      if (rest.length > 0) this.#waiting.set(next, rest);
      else this.#waiting.delete(next);
      this.#enter(next);
      enter?.();
    }
  }

  /** The waiting party to enter next, if one may. */
  #next(): Party | undefined {
    const parties = [...this.#waiting.keys()].filter((party) => this.#mayEnter(party));
    return parties.sort((one, other) => this.#count(one) - this.#count(other))[0];
  }
}
