/** Words that a stranger tries first here, in addition to common passwords and the member's own name. */
const OURS = ["user", "group", "groups", "usergroups", "dashboard", "dashboards", "embed"];
/** zxcvbn scores below this are guessed within a million attempts. */
const FIRST_SOUND_SCORE = 2;

/** The person choosing a password; attackers try both words first. */
export interface Chooser {
  name: string;
  email: string;
}

/** The message for a password that {@link isSoonGuessed}. */
export const SOON_GUESSED = "This password is easy to guess. Use several words or a password manager.";

let making: Promise<{ check(password: string, words: string[]): { score: number } }> | undefined;

/** Whether a password is among the first million guesses: common ones, keyboard runs, the member's own name. */
export async function isSoonGuessed(password: string, { name, email }: Chooser): Promise<boolean> {
  making ??= makeChecker();
  const parts = `${name} ${email}`.split(/[^\p{L}\p{N}]+/u);
  const words = [...OURS, name, name.replace(/\s+/g, ""), email, ...parts];
  return (await making).check(password, words).score < FIRST_SOUND_SCORE;
}

// Loaded on demand: a service that only answers the API never needs them, nor does a page without a new password.
async function makeChecker() {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import("@zxcvbn-ts/core"),
    import("@zxcvbn-ts/language-common"),
  ]);
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
}
