import { z } from "zod";
import { findProgram } from "../base/find-program";

/** Files at the root by which dependencies are installed: the family, the program, its command. */
const installs: Record<string, readonly [family: string, program: string, command: string]> = {
  "pnpm-lock.yaml": ["js", "pnpm", "pnpm install --frozen-lockfile"],
  "bun.lock": ["js", "bun", "bun install --frozen-lockfile"],
  "bun.lockb": ["js", "bun", "bun install --frozen-lockfile"],
  "yarn.lock": ["js", "yarn", "yarn install --frozen-lockfile"],
  "package-lock.json": ["js", "npm", "npm ci"],
  "npm-shrinkwrap.json": ["js", "npm", "npm ci"],
  "uv.lock": ["python", "uv", "uv sync --frozen"],
  "poetry.lock": ["python", "poetry", "poetry install --sync"],
  "requirements.txt": ["pip", "python3", "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt"],
  "Gemfile.lock": ["ruby", "bundle", "bundle install"],
  "composer.lock": ["php", "composer", "composer install"],
  "mix.lock": ["elixir", "mix", "mix deps.get"],
};

export const lockfiles = Object.keys(installs);

const managerSchema = z.object({ packageManager: z.string() });

type Install = { path: string; command: string };

/** Commands for the lockfiles that are there, and why one of these does not count. */
export async function readInstalls(
  there: readonly string[],
  packageJson: unknown,
  environment: Record<string, string>,
): Promise<{ installs: Install[]; leftOut: { path: string; reason: string }[] }> {
  const taken: Install[] = [];
  const leftOut: { path: string; reason: string }[] = [];
  const manager = managerSchema.safeParse(packageJson).data?.packageManager.split("@")[0];
  const found = there.flatMap((path) => (installs[path] === undefined ? [] : [{ path, install: installs[path] }]));
  const families = new Set(found.map(({ install }) => install[0]));
  for (const family of families) {
    // A list for pip is often made of a lockfile.
    if (family === "pip" && families.has("python")) continue;
    const all = found.filter(({ install }) => install[0] === family);
    const programs = new Set(all.map(({ install }) => install[1]));
    const chosen = all.find(({ install }) => install[1] === manager) ?? (programs.size === 1 ? all[0] : undefined);
    if (chosen === undefined) {
      const reason = `it is not clear which of ${[...programs].join(" and ")} installs: name one as setup: in .backloom.yml`;
      leftOut.push(...all.map(({ path }) => ({ path, reason })));
      continue;
    }
    const [, program, command] = chosen.install;
    const line = program === "yarn" && there.includes(".yarnrc.yml") ? "yarn install --immutable" : command;
    const byCorepack = family === "js" && program === manager && (await findProgram("corepack", environment)) !== null;
    if ((await findProgram(program, environment)) !== null) taken.push({ path: chosen.path, command: line });
    else if (byCorepack) taken.push({ path: chosen.path, command: `corepack ${line}` });
    else leftOut.push({ path: chosen.path, reason: `${program} is not installed on this machine` });
  }
  return { installs: taken, leftOut };
}
