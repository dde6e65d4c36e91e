// `backloom skills install`: writes the skills of this version where the agents on PATH read them.
import {
  accessSync,
  constants,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { isatty } from "node:tty";
import { fail, root } from "./problem.mjs";

/** Where each tool reads the skills of its user, from its home folder. */
const places = {
  claude: [".claude", "skills"],
  codex: [".agents", "skills"],
  opencode: [".config", "opencode", "skills"],
};

/** Asks before it replaces what a person may have written, and writes through no link. Returns the lines to print. */
export function installSkills([word, ...rest]) {
  if (word !== "install" || rest.length > 0) fail('Use "backloom skills install"');
  const tools = Object.keys(places).filter(isOnPath);
  if (tools.length === 0) fail(`None of ${Object.keys(places).join(", ")} is on PATH; install one, then try again`);
  const source = join(root, "skills");
  const names = readdirSync(source);
  return tools
    .map((tool) => {
      const target = join(homedir(), ...places[tool]);
      const left = names.filter((name) => !installOne(target, name, readFileSync(join(source, name, "SKILL.md"))));
      const written = names.filter((name) => !left.includes(name));
      const lines = [`${tool}: ${written.join(", ") || "none"} in ${target}`];
      if (left.length > 0) lines.push(`${tool}: left as they are: ${left.join(", ")}`);
      return lines.join("\n");
    })
    .join("\n");
}

/** Returns false if another skill of that name stays. */
function installOne(target, name, text) {
  const folder = join(target, name);
  const file = join(folder, "SKILL.md");
  if ([target, folder, file].some((path) => lstatOf(path)?.isSymbolicLink())) return false;
  const isThere = lstatOf(file) !== undefined;
  if (isThere && readFileSync(file).equals(text)) return true;
  if (isThere && !agrees(`${file} is another one. Replace it? [y/N] `)) return false;
  mkdirSync(folder, { recursive: true });
  const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;
  writeFileSync(file, text, { flag: O_CREAT | O_NOFOLLOW | O_TRUNC | O_WRONLY });
  return true;
}

const lstatOf = (path) => lstatSync(path, { throwIfNoEntry: false });

/** Without a terminal, the answer is no. */
function agrees(question) {
  if (!isatty(0) || !isatty(1)) return false;
  writeSync(1, question);
  const answer = Buffer.alloc(100);
  return /^\s*y(es)?\s*$/i.test(answer.toString("utf8", 0, readSync(0, answer)));
}

function isOnPath(name) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return folder !== "";
    } catch {
      return false;
    }
  });
}
