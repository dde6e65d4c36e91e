// `backloom skills install`: writes the skills of this version where the agents on PATH read them.
import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { fail, root } from "./problem.mjs";

/** Where each tool reads the skills of its user, from its home folder. */
const places = {
  claude: [".claude", "skills"],
  codex: [".agents", "skills"],
  opencode: [".config", "opencode", "skills"],
};

/** Writes all skills for each tool that is there, and nothing for others. Returns what to tell. */
export function installSkills([word, ...rest]) {
  if (word !== "install" || rest.length > 0) fail('Use "backloom skills install"');
  const tools = Object.keys(places).filter(isOnPath);
  if (tools.length === 0) {
    fail(`None of ${Object.keys(places).join(", ")} is on PATH; install one, then try again`);
  }
  const source = join(root, "skills");
  const names = readdirSync(source);
  return tools
    .map((tool) => {
      const target = join(homedir(), ...places[tool]);
      for (const name of names) {
        mkdirSync(join(target, name), { recursive: true });
        writeFileSync(join(target, name, "SKILL.md"), readFileSync(join(source, name, "SKILL.md")));
      }
      return `${tool}: ${names.join(", ")} in ${target}`;
    })
    .join("\n");
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
