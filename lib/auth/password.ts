/** What a stranger tries first here, beside what the commonest passwords are made of and what a member is called. */
const OURS = ["user", "group", "groups", "usergroups", "dashboard", "dashboards", "embed"];
/** Of zxcvbn's five scores the first two: found within a million guesses. */
const FIRST_SOUND_SCORE = 2;

/** Who chooses a password; both words are tried first by whoever knows them. */
interface Chooser {
  name: string;
  email: string;
}

/** What is said of a password that {@link isSoonGuessed}, as the rest of a sentence. */
export const SOON_GUESSED =
  "is one of those that are tried first: take several words, or what a password manager makes";

let making: Promise<{ check(password: string, words: string[]): { score: number } }> | undefined;

/** Whether a password is among the first million that would be tried: common ones, runs on a keyboard, the member's own name. */
export async function isSoonGuessed(password: string, { name, email }: Chooser): Promise<boolean> {
  making ??= makeChecker();
  const parts = `${name} ${email}`.split(/[^\p{L}\p{N}]+/u);
  const words = [...OURS, name, name.replace(/\s+/g, ""), email, ...parts];
  return (await making).check(password, words).score < FIRST_SOUND_SCORE;
}

/** Hashes a password as sign-in wants it: by scrypt, which takes long on purpose. */
export async function hashPassword(password: string): Promise<string> {
  const { hashPassword } = await import("better-auth/crypto");
  return hashPassword(password);
}

// These and better-auth are loaded when somebody chooses a password, which a service that only answers the API never sees.
async function makeChecker() {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import("@zxcvbn-ts/core"),
    import("@zxcvbn-ts/language-common"),
  ]);
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
}
