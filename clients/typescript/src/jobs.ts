import { toBase64 } from "./base64.js";
import type { NewChange, NewJob } from "./bodies.js";
import type { Job, JobAnswer, JobList, JobRow, JobRows, JobRowsQuery, NewImport } from "./openapi.js";
import { sleep } from "./retry.js";
import type { CallOptions, Transport } from "./transport.js";

/** Bytes of each piece of a file except the last. */
const PIECE_BYTES = 180_000;
const FIRST_LOOK = 100;
const LONGEST_LOOK = 2_000;

export interface WaitOptions extends CallOptions {
  /** milliseconds to wait at most; default 10 minutes */
  patience?: number;
}

/** The calls that change many user groups. */
export class Jobs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Sends a file (JSON lines or CSV, UTF-8) and waits until it is checked. Nothing changes before `apply`. Cancels the
   * job if a call fails.
   * @throws {UserGroupsError}
   */
  async upload(
    file: Uint8Array | string,
    about: Omit<NewImport, "kind" | "bytes">,
    options: WaitOptions = {},
  ): Promise<JobAnswer> {
    const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file;
    const { job: created } = await this.create({ kind: "import", ...about, bytes: bytes.length }, options);
    try {
      for (let n = 0; n * PIECE_BYTES < bytes.length; n++) {
        await this.sendPiece(created.id, n, bytes.subarray(n * PIECE_BYTES, (n + 1) * PIECE_BYTES), options);
      }
      return await this.wait(created.id, options);
    } catch (error) {
      // Otherwise it would count as open for two days. The caller gets the first error.
      await this.cancel(created.id, { deadline: 2_000 }).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Starts a change of many groups and waits until it is checked, or with `apply` until it is done.
   * @throws {UserGroupsError}
   */
  async change(about: NewChange, options: WaitOptions = {}): Promise<JobAnswer> {
    const { job: created } = await this.create({ kind: "change", ...about }, options);
    return this.wait(created.id, options);
  }

  /** Starts a job; for an import, send its pieces next. @throws {UserGroupsError} */
  create(about: NewJob, options: CallOptions = {}): Promise<JobAnswer> {
    return this.#transport.json("POST /api/jobs", about, { options, repeatable: false, isBulk: true });
  }

  /** Sends a piece of a file, of 180,000 bytes unless it is the last; `n` counts from 0. @throws {UserGroupsError} */
  sendPiece(id: number, n: number, piece: Uint8Array, options: CallOptions = {}): Promise<JobAnswer> {
    const body = { content: toBase64(piece) };
    return this.#transport.json(`PUT /api/jobs/${id}/pieces/${n}`, body, { options, isBulk: true });
  }

  /** Returns a job and its counts. @throws {UserGroupsError} */
  get(id: number, options: CallOptions = {}): Promise<JobAnswer> {
    return this.#transport.get(`/api/jobs/${id}`, options);
  }

  /**
   * Waits while a job is being checked or applied, and returns it, whatever its outcome. When `patience` runs out,
   * returns the job while it is still working.
   * @throws {UserGroupsError} the last call's error
   */
  async wait(id: number, options: WaitOptions = {}): Promise<JobAnswer> {
    const { patience = 600_000, ...call } = options;
    const end = performance.now() + patience;
    for (let pause = FIRST_LOOK; ; pause = Math.min(pause * 2, LONGEST_LOOK)) {
      const answer = await this.get(id, call);
      if (!isWorking(answer.job) || performance.now() >= end) return answer;
      await sleep(pause, call.signal);
    }
  }

  /** Returns the open jobs of the environment, then the newest others. @throws {UserGroupsError} */
  list(options: CallOptions = {}): Promise<JobList> {
    return this.#transport.get("/api/jobs", options);
  }

  /** Returns a page of the rows and what each would do, or did. @throws {UserGroupsError} */
  rows(id: number, query: JobRowsQuery = {}, options: CallOptions = {}): Promise<JobRows> {
    return this.#transport.get(`/api/jobs/${id}/rows`, options, query);
  }

  /** The rows and what each would do, or did. @throws {UserGroupsError} */
  async *iterateRows(
    id: number,
    query: Omit<JobRowsQuery, "after"> = {},
    options: CallOptions = {},
  ): AsyncGenerator<JobRow, void, undefined> {
    for (let after: number | null = 0; after !== null; ) {
      const page: JobRows = await this.rows(id, { limit: 100, ...query, after }, options);
      yield* page.rows;
      after = page.next;
    }
  }

  /** Returns the rows with errors as CSV. @throws {UserGroupsError} */
  failed(id: number, options: CallOptions = {}): Promise<string> {
    return this.#transport.text(`/api/jobs/${id}/failed`, options);
  }

  /**
   * Starts or continues applying a job: `wait` for its end.
   * @throws {UserGroupsError} `too_many_deletions`, or `conflict` when it is not `checked`
   */
  apply(id: number, options: CallOptions = {}): Promise<JobAnswer> {
    return this.#transport.postOnce(`/api/jobs/${id}/apply`, {}, options);
  }

  /** Ends a job; rows that were applied stay applied. @throws {UserGroupsError} */
  cancel(id: number, options: CallOptions = {}): Promise<JobAnswer> {
    return this.#transport.postOnce(`/api/jobs/${id}/cancel`, {}, options);
  }

  /**
   * Starts a job that undoes another: `wait` for its check, then `apply` it. With `apply: true` it applies itself.
   * @throws {UserGroupsError} `conflict` when the other job has not ended, changed nothing, or rotated tokens
   */
  undo(id: number, about: { apply?: boolean } = {}, options: CallOptions = {}): Promise<JobAnswer> {
    return this.#transport.postOnce(`/api/jobs/${id}/undo`, about, options);
  }
}

function isWorking({ state }: Job): boolean {
  return state === "checking" || state === "applying";
}
