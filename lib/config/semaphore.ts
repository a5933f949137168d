interface Waiter<Party> {
  party: Party;
  enter(): void;
}

interface Rules {
  /** the most places that a party may take; unlimited by default */
  share?: number;
  /** whether a party never takes more places than stay free, so that a few slow parties leave room for others */
  isFair?: boolean;
}

/** Places that parties share. A place that becomes free goes to the waiting party that has the fewest. */
export class Semaphore<Party = undefined> {
  readonly #taken = new Map<Party, number>();
  readonly #waiting = new Set<Waiter<Party>>();
  #all = 0;

  constructor(
    readonly places: number,
    readonly rules: Rules = {},
  ) {}

  /** How many places are taken, by this party or in total. */
  taken(party?: Party): number {
    return party === undefined ? this.#all : (this.#taken.get(party) ?? 0);
  }

  /** Takes a place, and returns the function that frees it; undefined if there is none. */
  enter(party: Party): (() => void) | undefined {
    return this.#mayEnter(party) ? this.#take(party) : undefined;
  }

  /** Does the work once there is a place, unless the signal aborts first. */
  async run<T>(party: Party, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const leave = this.enter(party) ?? (await this.#wait(party, signal));
    try {
      return await work();
    } finally {
      leave();
    }
  }

  #mayEnter(party: Party): boolean {
    const { share = Number.POSITIVE_INFINITY, isFair = false } = this.rules;
    const [count, left] = [this.#taken.get(party) ?? 0, this.places - this.#all];
    return left > 0 && count < share && (!isFair || count < left);
  }

  #take(party: Party): () => void {
    this.#all++;
    this.#taken.set(party, (this.#taken.get(party) ?? 0) + 1);
    return () => this.#leave(party);
  }

  #leave(party: Party) {
    this.#all--;
    const left = (this.#taken.get(party) ?? 1) - 1;
    if (left > 0) this.#taken.set(party, left);
    else this.#taken.delete(party);
    for (let next = this.#next(); next; next = this.#next()) next.enter();
  }

  #wait(party: Party, signal: AbortSignal | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#waiting.delete(waiter);
        reject(signal?.reason);
      };
      const waiter = {
        party,
        enter: () => {
          signal?.removeEventListener("abort", abort);
          this.#waiting.delete(waiter);
          resolve(this.#take(party));
        },
      };
      signal?.addEventListener("abort", abort);
      this.#waiting.add(waiter);
    });
  }

  #next(): Waiter<Party> | undefined {
    const able = [...this.#waiting].filter(({ party }) => this.#mayEnter(party));
    return able.sort((one, other) => this.taken(one.party) - this.taken(other.party))[0];
  }
}
