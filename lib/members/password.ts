/** Hashes a password as sign-in wants it: by scrypt, which takes long on purpose. */
export async function hashPassword(password: string): Promise<string> {
  // Loaded when there is one to hash, which a service that only answers the API never has.
  const { hashPassword } = await import("better-auth/crypto");
  return hashPassword(password);
}
