import { describe, expect, it } from "vitest";
import { classify, isDatabaseAway } from "@/lib/db/failures";

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

describe("a change is repeated only where PostgreSQL cannot have made it", () => {
  it.each([
    ["its session was ended before the commit", { code: "57P01", routine: "ProcessInterrupts" }, "", "rolled back"],
    ["a proxy says that its server was ended", { code: "57P01" }, "", "broken"],
    ["the server crashed", { code: "57P02" }, "", "broken"],
    ["the connection broke", {}, "Connection terminated unexpectedly", "broken"],
    ["no answer came in time", {}, "Query read timeout", "refused"],
    ["the session only reads", { code: "25006" }, "", "rolled back"],
    ["the session had ended", {}, "Client has encountered a connection error and is not queryable", "unsent"],
  ])("%s", (_what, fields, message, failure) => {
    expect(classify(failed(fields, message))).toBe(failure);
  });
});
