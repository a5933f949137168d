/**
 * A map that holds a limited number of entries and drops the least recently used. It has two halves: a used entry moves
 * to the young half; a full young half replaces the old one. Reading costs no more than in a Map.
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
