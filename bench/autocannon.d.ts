// The parts we use: the package has no types.
declare module "autocannon" {
  import type { EventEmitter } from "node:events";

  interface Request {
    method: string;
    path: string;
    body: string;
  }

  interface Options {
    url: string;
    connections: number;
    /** in seconds */
    duration?: number;
    /** requests, instead of a duration */
    amount?: number;
    /** in seconds */
    timeout?: number;
    headers?: Record<string, string>;
    requests?: { setupRequest(request: Request): Request }[];
  }

  interface Result {
    requests: { total: number };
    /** in seconds */
    duration: number;
    errors: number;
    non2xx: number;
  }

  export default function autocannon(options: Options): Promise<Result>;
  export default function autocannon(
    options: Options,
    done: (error: Error | null, result: Result) => void,
  ): EventEmitter;
}
