import { join, relative } from "node:path";
import { allDrivers, drivers } from "../agents/catalog";
import type { ToolHome, ToolNeeds } from "../agents/driver";

const knownNeeds = allDrivers.map(({ needs }) => needs);

/** What the tools that a command names need; `--agent codex` counts as the command `codex`. */
export function needsOf(command: string): ToolNeeds[] {
  const words = new Set(command.toLowerCase().match(/[a-z]+/g));
  const ids = new Set(command.split(/\s+/));
  return allDrivers.flatMap((driver) => {
    const isNamed = drivers.includes(driver) ? words.has(driver.name) : ids.has(driver.name);
    return isNamed ? [driver.needs] : [];
  });
}

/** Path of a tool's file, given the user's environment. */
export function folderOf({ moved }: ToolHome, name: string, environment: Record<string, string>): string {
  const home = environment.HOME ?? "/";
  const folder = moved && environment[moved.variable];
  if (folder) {
    return join(folder, name.startsWith(`${moved.folder}/`) ? relative(moved.folder, name) : name);
  }
  for (const [folder, variable] of Object.entries(baseFolders)) {
    const base = environment[variable];
    if (base && name.startsWith(`${folder}/`)) return join(base, relative(folder, name));
  }
  return join(home, name);
}

const baseFolders = {
  ".config": "XDG_CONFIG_HOME",
  ".local/share": "XDG_DATA_HOME",
  ".local/state": "XDG_STATE_HOME",
  ".cache": "XDG_CACHE_HOME",
};

/** Variables that move tools' homes. They are removed, as the job's home has everything in its default place. */
export const movingVariables = [
  ...knownNeeds.flatMap(({ home: { moved } }) => (moved ? [moved.variable] : [])),
  ...Object.values(baseFolders),
  "XDG_RUNTIME_DIR",
  "GIT_CONFIG_GLOBAL",
  "OPENCODE_CONFIG_DIR",
  "CARGO_HOME",
  "GOPATH",
  "GOCACHE",
];
