// Ends the process if Node is too old. Import it first: its syntax works in Node 14.
import { readFileSync } from "node:fs";

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const needed = engines.node.replace(">=", "");
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const [neededMajor = 0, neededMinor = 0] = needed.split(".").map(Number);

if (major < neededMajor || (major === neededMajor && minor < neededMinor)) {
  console.error(
    `This needs Node ${needed} or newer, and runs on Node ${process.versions.node}. ` +
      "Install one from https://nodejs.org, or with a version manager (nvm install --lts); in a clone, run  npm ci  again.",
  );
  process.exit(1);
}
