import { describe, expect, it } from "vitest";
import { isDatabaseAway } from "@/lib/db/failures";

const failed = (fields: object, message = "failed") => Object.assign(new Error(message), fields);

describe("an error that says", () => {
  it.each([
    ["the network is not there, as Prisma passes it on", failed({ code: "ENETUNREACH" })],
    ["names are not looked up just now, as Prisma passes it on", failed({ code: "EAI_AGAIN" })],
    ["nobody listens, in Node's words", failed({ code: "ECONNREFUSED", syscall: "connect" })],
    ["the connection was closed, in Prisma's words", failed({ code: "P1017" })],
    ["the connection is gone, in pg's words", failed({}, "Connection terminated unexpectedly")],
    ["the server is shutting down, in its own words", failed({ code: "57P01" })],
  ])("%s is the database's state", (_what, error) => {
    expect(isDatabaseAway(error)).toBe(true);
  });

  it.each([
    ["a row is there already", failed({ code: "23505" })],
    ["a row is not there, in Prisma's words", failed({ code: "P2025" })],
    ["a file is not there", failed({ code: "ENOENT" })],
  ])("%s is not", (_what, error) => {
    expect(isDatabaseAway(error)).toBe(false);
  });
});
