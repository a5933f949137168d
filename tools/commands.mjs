/** The commands of `./user-groups`, with a description of each. @type {Record<string, string>} */
export const COMMANDS = {
  start: "Starts the service",
  demo: "Starts the service with samples and an embedded dashboard, until Ctrl-C",
  migrate: "Applies pending migrations to the database",
  doctor: "Checks a deployment from outside",
  probe: "Checks that a renderer keeps customers apart",
  mcp: "Gives an agent tools to find, read and suspend user groups (MCP)",
  "api-token": "Creates, lists, replaces and revokes API tokens",
  "user-group-token": "Rotates tokens again after a restore",
  member: "Lists, invites and disables members, and resets their passwords",
  import: "Imports user groups from a CSV or JSON lines file",
  settings: "Exports an environment's settings to a file, and applies them",
  seed: "Adds sample user groups",
  events: "Prints the history as JSON lines",
  verify: "Checks every user group against its history",
  "prune-history": "Drops months of the history that are older than HISTORY_KEPT",
  rekey: "Re-encrypts what PREVIOUS_SECRET_KEY sealed",
  backup: "Backs up the embedded database",
  restore: "Restores the embedded database",
};

const WIDTH = Math.max(...Object.keys(COMMANDS).map(({ length }) => length));

export const USAGE = `Usage:  ./user-groups COMMAND

${Object.entries(COMMANDS)
  .map(([name, summary]) => `  ${name.padEnd(WIDTH)}  ${summary}`)
  .join("\n")}

./user-groups COMMAND --help shows a command's options. docs/commands.md has examples of most.
`;
