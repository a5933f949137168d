import { describe, expect, it } from "vitest";
import { classify, isDatabaseAway } from "@/lib/db/failures";

const failed = (fields: object, message = "failed") => Object.assign(new Error(message), fields);
const byPrisma = (originalCode: string) =>
  failed({ code: "P2010", meta: { driverAdapterError: { cause: { kind: "postgres", originalCode } } } });

describe("the error for", () => {
  it.each([
    ["an unreachable network, as passed on by Prisma", failed({ code: "ENETUNREACH" })],
    ["a temporary DNS failure, as passed on by Prisma", failed({ code: "EAI_AGAIN" })],
    ["a refused connection, from Node", failed({ code: "ECONNREFUSED", syscall: "connect" })],
    ["a closed connection, from Prisma", failed({ code: "P1017" })],
    ["a lost connection, from pg", failed({}, "Connection terminated unexpectedly")],
    ["a server shutdown, from PostgreSQL", failed({ code: "57P01" })],
    ["a renamed database", failed({ code: "3D000" })],
    ["a missing schema", failed({ code: "3F000" })],
    ["a missing table", failed({ code: "42P01" })],
    ["a missing column", failed({ code: "42703" })],
    ["a missing type", failed({ code: "42704" })],
    ["a missing function", failed({ code: "42883" })],
    ["a missing privilege", failed({ code: "42501" })],
    ["a missing privilege, as passed on by Prisma", byPrisma("42501")],
    ["an expired certificate", failed({ code: "CERT_HAS_EXPIRED" })],
    ["a certificate of another host", failed({ code: "ERR_TLS_CERT_ALTNAME_INVALID" })],
    ["an unknown authority", failed({ code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" })],
  ])("%s counts as an outage", (_what, error) => {
    expect(isDatabaseAway(error)).toBe(true);
  });

  it.each([
    ["an existing row", failed({ code: "23505" })],
    ["a missing row, from Prisma", failed({ code: "P2025" })],
    ["a missing file", failed({ code: "ENOENT" })],
    ["a malformed statement", failed({ code: "42601" })],
  ])("%s does not", (_what, error) => {
    expect(isDatabaseAway(error)).toBe(false);
  });
});

describe("a change is retried only if PostgreSQL cannot have applied it", () => {
  it.each([
    ["its session was ended before the commit", { code: "57P01", routine: "ProcessInterrupts" }, "", "rolled back"],
    ["a proxy reports that its server session ended", { code: "57P01" }, "", "broken"],
    ["the server crashed", { code: "57P02" }, "", "broken"],
    ["the connection broke", {}, "Connection terminated unexpectedly", "broken"],
    ["the query timed out", {}, "Query read timeout", "refused"],
    ["the session is read-only", { code: "25006" }, "", "rolled back"],
    ["others held a lock for too long", { code: "55P03" }, "", "locked"],
    ["the session had ended", {}, "Client has encountered a connection error and is not queryable", "unsent"],
  ])("%s", (_what, fields, message, failure) => {
    expect(classify(failed(fields, message))).toBe(failure);
  });
});
