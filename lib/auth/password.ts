/** Hashes a password with scrypt, which is slow on purpose. */
export async function hashPassword(password: string): Promise<string> {
  // Loaded on demand: a service that only answers the API never needs it.
  const { hashPassword } = await import("better-auth/crypto");
  return hashPassword(password);
}
