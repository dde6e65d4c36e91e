import { join, relative } from "node:path";

/** Paths of a tool below the home. */
export interface ToolHome {
  /** The variable that moves the tool's folder, and that folder. */
  moved?: { variable: string; folder: string };
  /** The user's settings; read-only. */
  settings: readonly string[];
  /** Login files the tool renews. Writable, because the user would lose the login if renewals were dropped. */
  login: readonly string[];
  /** Files the tool also writes. It gets copies, which are deleted with the job's home. */
  copied: readonly string[];
}

/** Nothing else of the user's home is visible. Other files a tool writes to its home stay with the job. */
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

/** Path of a tool's file, given the user's environment. */
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

/** Variables that move tools' homes. They are removed, as the job's home has everything in its default place. */
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

/** Homes of the tools a command names; `--agent codex` counts as the command `codex`. */
export function toolHomesOf(command: string): ToolHome[] {
  const words = new Set(command.toLowerCase().match(/[a-z]+/g));
  return Object.entries(toolHomes).flatMap(([name, home]) => (words.has(name) ? [home] : []));
}

function inFolder(folder: string, names: readonly string[]): string[] {
  return names.map((name) => `${folder}/${name}`);
}
