import { describe, expect, it } from "vitest";
import { classify, isDatabaseAway } from "@/lib/db/failures";

const failed = (fields: object, message = "failed") => Object.assign(new Error(message), fields);
const byPrisma = (originalCode: string) =>
  failed({ code: "P2010", meta: { driverAdapterError: { cause: { kind: "postgres", originalCode } } } });

describe("an error that says", () => {
  it.each([
    ["the network is not there, as Prisma passes it on", failed({ code: "ENETUNREACH" })],
    ["names are not looked up just now, as Prisma passes it on", failed({ code: "EAI_AGAIN" })],
    ["nobody listens, in Node's words", failed({ code: "ECONNREFUSED", syscall: "connect" })],
    ["the connection was closed, in Prisma's words", failed({ code: "P1017" })],
    ["the connection is gone, in pg's words", failed({}, "Connection terminated unexpectedly")],
    ["the server is shutting down, in its own words", failed({ code: "57P01" })],
    ["the database was renamed", failed({ code: "3D000" })],
    ["a schema is missing", failed({ code: "3F000" })],
    ["a table is missing", failed({ code: "42P01" })],
    ["a column is missing", failed({ code: "42703" })],
    ["a type is missing", failed({ code: "42704" })],
    ["a function is missing", failed({ code: "42883" })],
    ["a privilege is missing", failed({ code: "42501" })],
    ["a privilege is missing, as Prisma passes it on", byPrisma("42501")],
  ])("%s is the database's state", (_what, error) => {
    expect(isDatabaseAway(error)).toBe(true);
  });

  it.each([
    ["a row is there already", failed({ code: "23505" })],
    ["a row is not there, in Prisma's words", failed({ code: "P2025" })],
    ["a file is not there", failed({ code: "ENOENT" })],
    ["a statement is malformed", failed({ code: "42601" })],
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
