import "server-only";
import { randomUUID } from "node:crypto";
import { cookies } from "next/headers";

// In place of your database and your sign-in.
interface Store {
  customers: Map<string, { suspended: boolean }>;
  sessions: Map<string, string>;
}
const shared = globalThis as { store?: Store };
shared.store ??= { customers: new Map(), sessions: new Map() };
const { sessions } = shared.store;
export const { customers } = shared.store;

export async function signIn(customer: string) {
  const session = randomUUID();
  sessions.set(session, customer);
  (await cookies()).set("session", session, {
    httpOnly: true,
    sameSite: "lax",
  });
}

export async function currentCustomer(): Promise<string | undefined> {
  return sessions.get((await cookies()).get("session")?.value ?? "");
}
