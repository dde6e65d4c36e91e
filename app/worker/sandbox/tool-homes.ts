import { join, relative } from "node:path";

/** What of a home a tool needs, by its path there. */
export interface ToolHome {
  /** The variable that moves its folder, and the folder that it moves. */
  moved?: { variable: string; folder: string };
  /** What the person has set up: read-only. */
  settings: readonly string[];
  /** Renewed by the tool, and lost to the person if the new one were not kept: may be written. */
  login: readonly string[];
  /** What the tool writes beside its work; it gets a copy that is thrown away with the job's home. */
  copied: readonly string[];
}

/** Nothing else of the person's home is there. What the tool writes below its home stays with the job. */
const toolHomes: Record<string, ToolHome> = {
  claude: {
    moved: { variable: "CLAUDE_CONFIG_DIR", folder: ".claude" },
    settings: inFolder(".claude", [
      ...["settings.json", "CLAUDE.md", "agents", "commands", "skills", "plugins"],
      ...["rules", "output-styles"],
    ]),
    login: [".claude/.credentials.json"],
    copied: [".claude.json"],
  },
  codex: {
    moved: { variable: "CODEX_HOME", folder: ".codex" },
    settings: inFolder(".codex", [
      ...["config.toml", "AGENTS.md", "AGENTS.override.md", "prompts", "skills", "rules"],
    ]),
    login: [".codex/auth.json"],
    copied: [],
  },
  gemini: {
    moved: { variable: "GEMINI_CLI_HOME", folder: "" },
    settings: inFolder(".gemini", [
      ...["settings.json", "GEMINI.md", ".env", "extensions", "commands", "policies", "skills"],
      ...["agents", "trustedFolders.json"],
    ]),
    login: [".gemini/oauth_creds.json"],
    copied: [".gemini/google_accounts.json", ".gemini/installation_id"],
  },
  opencode: {
    settings: inFolder(".config/opencode", [
      ...["opencode.json", "opencode.jsonc", "config.json", "AGENTS.md", "agent", "agents"],
      ...["command", "commands", "mode", "modes", "plugin", "plugins", "skill", "skills", "tools"],
    ]),
    login: [],
    copied: [".local/share/opencode/auth.json"],
  },
};

/** Where something of a tool lies in the home of an environment. */
export function placeOf(
  { moved }: ToolHome,
  name: string,
  environment: Record<string, string>,
): string {
  const home = environment.HOME ?? "/";
  const place = moved && environment[moved.variable];
  if (place) {
    return join(place, name.startsWith(`${moved.folder}/`) ? relative(moved.folder, name) : name);
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

/** Variables that move homes of tools: the job has one home, where each looks in its usual place. */
export const movingVariables = [
  ...Object.values(toolHomes).flatMap(({ moved }) => (moved ? [moved.variable] : [])),
  ...Object.values(baseFolders),
  ...[
    "XDG_RUNTIME_DIR",
    "GIT_CONFIG_GLOBAL",
    "OPENCODE_CONFIG_DIR",
    "CARGO_HOME",
    "GOPATH",
    "GOCACHE",
  ],
];

/** Homes of the tools that a command names; `--agent codex` is the command `codex` here. */
export function toolHomesOf(command: string): ToolHome[] {
  const words = new Set(command.toLowerCase().match(/[a-z]+/g));
  return Object.entries(toolHomes).flatMap(([name, home]) => (words.has(name) ? [home] : []));
}

function inFolder(folder: string, names: readonly string[]): string[] {
  return names.map((name) => `${folder}/${name}`);
}
