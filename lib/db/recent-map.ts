/**
 * A map that holds at most so many entries and forgets those that were not used for longest. It has two halves: what is used moves
 * into the young one; when that is full, the old one goes and the young one takes its place. Reading costs no more than in a Map.
 */
export class RecentMap<Key, Value> {
  private young = new Map<Key, Value>();
  private old = new Map<Key, Value>();

  constructor(private readonly most: number) {}

  get(key: Key): Value | undefined {
    const value = this.young.get(key);
    if (value !== undefined) return value;
    const older = this.old.get(key);
    if (older === undefined) return undefined;
    this.old.delete(key);
    this.set(key, older);
    return older;
  }

  set(key: Key, value: Value) {
    if (this.young.size >= this.most / 2) {
      this.old = this.young;
      this.young = new Map();
    }
    this.young.set(key, value);
  }

  delete(key: Key) {
    this.young.delete(key);
    this.old.delete(key);
  }

  *[Symbol.iterator](): IterableIterator<[Key, Value]> {
    yield* this.old;
    yield* this.young;
  }
}
