import { toBase64 } from "./base64.js";
import type { Import, ImportAnswer, ImportList, ImportRow, ImportRows, ImportRowsQuery, NewImport } from "./bulk.js";
import { sleep } from "./retry.js";
import type { CallOptions, Transport } from "./transport.js";

/** Bytes of each piece of a file but the last. */
const PIECE_BYTES = 180_000;
const FIRST_LOOK = 100;
const LONGEST_LOOK = 2_000;

export interface WaitOptions extends CallOptions {
  /** milliseconds to wait at most; default 10 minutes */
  patience?: number;
}

/** The calls for files of user groups. */
export class Imports {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Sends a file (JSON lines or CSV, UTF-8) and waits until it is checked. Nothing changes before `apply`.
   * @throws {UserGroupsError}
   */
  async upload(
    file: Uint8Array | string,
    about: Omit<NewImport, "bytes">,
    options: WaitOptions = {},
  ): Promise<ImportAnswer> {
    const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file;
    const { import: created } = await this.create({ ...about, bytes: bytes.length }, options);
    for (let n = 0; n * PIECE_BYTES < bytes.length; n++) {
      await this.sendPiece(created.id, n, bytes.subarray(n * PIECE_BYTES, (n + 1) * PIECE_BYTES), options);
    }
    return this.wait(created.id, options);
  }

  /** Begins an import: send its pieces next. @throws {UserGroupsError} */
  create(about: NewImport, options: CallOptions = {}): Promise<ImportAnswer> {
    return this.#transport.json({ method: "POST", path: "/api/imports", body: about, options, repeatable: false });
  }

  /** Sends a piece of a file, of 180,000 bytes unless it is the last; `n` counts from 0. @throws {UserGroupsError} */
  sendPiece(id: number, n: number, piece: Uint8Array, options: CallOptions = {}): Promise<ImportAnswer> {
    const path = `/api/imports/${id}/pieces/${n}`;
    const body = { content: toBase64(piece) };
    return this.#transport.json({ method: "PUT", path, body, options, repeatable: true, isBulk: true });
  }

  /** An import and its figures. @throws {UserGroupsError} */
  get(id: number, options: CallOptions = {}): Promise<ImportAnswer> {
    return this.#transport.json({ method: "GET", path: `/api/imports/${id}`, options, repeatable: true });
  }

  /**
   * Waits while an import is being checked or applied, and returns it then, whatever became of it.
   * @throws {UserGroupsError} the last answer's, or returns an import that still works when the patience is over
   */
  async wait(id: number, options: WaitOptions = {}): Promise<ImportAnswer> {
    const { patience = 600_000, ...call } = options;
    const end = performance.now() + patience;
    for (let pause = FIRST_LOOK; ; pause = Math.min(pause * 2, LONGEST_LOOK)) {
      const answer = await this.get(id, call);
      if (!isWorking(answer.import) || performance.now() >= end) return answer;
      await sleep(pause, call.signal);
    }
  }

  /** The newest imports of the environment. @throws {UserGroupsError} */
  list(options: CallOptions = {}): Promise<ImportList> {
    return this.#transport.json({ method: "GET", path: "/api/imports", options, repeatable: true });
  }

  /** A page of what each row would do, or did. @throws {UserGroupsError} */
  rows(id: number, query: ImportRowsQuery = {}, options: CallOptions = {}): Promise<ImportRows> {
    return this.#transport.json({ method: "GET", path: `/api/imports/${id}/rows`, query, options, repeatable: true });
  }

  /** What each row would do, or did. @throws {UserGroupsError} */
  async *iterateRows(
    id: number,
    query: Omit<ImportRowsQuery, "after"> = {},
    options: CallOptions = {},
  ): AsyncGenerator<ImportRow, void, undefined> {
    for (let after: number | null = 0; after !== null; ) {
      const page: ImportRows = await this.rows(id, { limit: 100, ...query, after }, options);
      yield* page.rows;
      after = page.next;
    }
  }

  /** The rows with errors as CSV. @throws {UserGroupsError} */
  failed(id: number, options: CallOptions = {}): Promise<string> {
    return this.#transport.text({ method: "GET", path: `/api/imports/${id}/failed`, options, repeatable: true });
  }

  /**
   * Begins to apply an import: `wait` for its end.
   * @throws {UserGroupsError} `too_many_deletions`, or `conflict` when it is not `checked`
   */
  apply(id: number, options: CallOptions = {}): Promise<ImportAnswer> {
    const path = `/api/imports/${id}/apply`;
    return this.#transport.json({ method: "POST", path, body: {}, options, repeatable: false });
  }

  /** Ends an import; rows that were applied stay applied. @throws {UserGroupsError} */
  cancel(id: number, options: CallOptions = {}): Promise<ImportAnswer> {
    const path = `/api/imports/${id}/cancel`;
    return this.#transport.json({ method: "POST", path, body: {}, options, repeatable: false });
  }

  /**
   * Begins an import that gives the groups that another one changed what they had before: `wait` for its check, then `apply` it.
   * @throws {UserGroupsError} `conflict` when the other one has not ended, or changed no group
   */
  undo(id: number, options: CallOptions = {}): Promise<ImportAnswer> {
    const body = { import_id: id };
    return this.#transport.json({ method: "POST", path: "/api/imports/undo", body, options, repeatable: false });
  }
}

function isWorking({ state }: Import): boolean {
  return state === "checking" || state === "applying";
}
