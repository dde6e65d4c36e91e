import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { ScriptedModel } from "./models/open-model";

/** Where `npm run test:agents` puts the tools; outside of the project, because they are large. */
export const toolCache = process.env.AGENTS_CACHE ?? join(homedir(), ".cache", "backloom-agents");

/** A way of speaking to a tool, with what it needs to meet a model of ours and no one else. */
export interface RealTool {
  /** The name for `--agent`, and how the driver then speaks to it. */
  agent: string;
  way: string;
  dialect: "anthropic" | "responses" | "gemini" | "chat";
  /** Programs on its path, by the folder of the cache that holds them. */
  programs: Record<string, string>;
  /** Says to a fresh home where its model is, and answers what the environment needs. */
  settle(home: string, model: ScriptedModel): Record<string, string>;
  /** Where a file is to be written, as its model says it. */
  pathIn(folder: string, name: string): string;
  /** False where the tool's own sandbox keeps the git folder read-only: the worker commits. */
  mayCommit: boolean;
  /** Makes a session older than it is, for a tool whose session cannot be resumed in its first minute: the worker waits for that. */
  letTimePass?(home: string): void;
  /**
   * False where the tool writes an answer down only when the calls in it have ended: killed before, no one knows of it. The
   * database of opencode 1.18.33 has zeros in the answer, no `step-finish` part and no event with counts until then.
   */
  recordsCallsUnderWay: boolean;
  /** True where the tool itself says what the work cost. */
  tellsCost: boolean;
}

const claudeSettings = (_home: string, model: ScriptedModel): Record<string, string> => ({
  ANTHROPIC_BASE_URL: model.url,
  ANTHROPIC_API_KEY: "sk-ant-of-nobody",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_TELEMETRY: "1",
  CLAUDE_CODE_MAX_RETRIES: "1",
});

function codexSettings(home: string, model: ScriptedModel): Record<string, string> {
  const lines = [
    'model = "gpt-scripted"',
    'model_provider = "scripted"',
    "check_for_update_on_startup = false",
    "[analytics]",
    "enabled = false",
    "[model_providers.scripted]",
    'name = "Scripted"',
    `base_url = "${model.url}/v1"`,
    'env_key = "SCRIPTED_KEY"',
    'wire_api = "responses"',
    "request_max_retries = 1",
    "stream_max_retries = 1",
  ];
  write(join(home, ".codex", "config.toml"), `${lines.join("\n")}\n`);
  // Below the folder for temporary files Codex makes no link to its own program, without which no bubblewrap of the system starts it.
  const TMPDIR = join(home, "tmp");
  mkdirSync(TMPDIR, { recursive: true });
  return { SCRIPTED_KEY: "of-nobody", TMPDIR };
}

function geminiSettings(home: string, model: ScriptedModel): Record<string, string> {
  const settings = {
    security: { auth: { selectedType: "gemini-api-key" } },
    general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true, maxAttempts: 2 },
    telemetry: { enabled: false },
    privacy: { usageStatisticsEnabled: false },
    model: { name: "gemini-2.5-pro" },
  };
  write(join(home, ".gemini", "settings.json"), JSON.stringify(settings));
  return { GEMINI_API_KEY: "of-nobody", GOOGLE_GEMINI_BASE_URL: model.url, GEMINI_CLI_NO_RELAUNCH: "1" };
}

/**
 * The names of its files end with the minute and the session, and a file of the same name is begun again. They are made a day older,
 * not more: Gemini CLI removes what is a month old.
 */
function backdateGeminiSessions(home: string): void {
  const tmp = join(home, ".gemini", "tmp");
  const dayBefore = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const own = /session-\d{4}-\d\d-\d\dT\d\d-\d\d-/;
  for (const file of readdirSync(tmp, { recursive: true, encoding: "utf8" })) {
    if (!own.test(file) || file.includes(`session-${dayBefore}`)) continue;
    // A session that was taken up again has a file for each time.
    const free = Array.from({ length: 60 }, (_, minute) => String(minute).padStart(2, "0"))
      .map((minute) => file.replace(own, `session-${dayBefore}T00-${minute}-`))
      .find((name) => !existsSync(join(tmp, name)));
    if (free === undefined) throw new Error("This session was taken up too often");
    renameSync(join(tmp, file), join(tmp, free));
  }
}

function opencodeSettings(home: string, model: ScriptedModel): Record<string, string> {
  const provider = {
    npm: "@ai-sdk/openai-compatible",
    name: "Scripted",
    options: { baseURL: `${model.url}/v1`, apiKey: "of-nobody" },
    models: { m1: { name: "M1", limit: { context: 100_000, output: 8_000 } } },
  };
  const config = {
    model: "scripted/m1",
    small_model: "scripted/m1",
    autoupdate: false,
    share: "disabled",
    provider: { scripted: provider },
  };
  write(join(home, ".config", "opencode", "opencode.json"), JSON.stringify(config));
  return { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" };
}

const inside = (folder: string, name: string) => join(folder, name);

const allTools: RealTool[] = [
  {
    agent: "claude",
    way: "claude -p",
    dialect: "anthropic",
    programs: { claude: "claude-code" },
    settle: claudeSettings,
    pathIn: inside,
    mayCommit: true,
    recordsCallsUnderWay: true,
    tellsCost: true,
  },
  {
    agent: "claude",
    way: "claude-agent-acp",
    dialect: "anthropic",
    programs: { claude: "claude-code", "claude-agent-acp": "claude-acp" },
    settle: claudeSettings,
    pathIn: inside,
    mayCommit: true,
    recordsCallsUnderWay: true,
    tellsCost: true,
  },
  {
    agent: "codex",
    way: "codex exec",
    dialect: "responses",
    programs: { codex: "codex" },
    settle: codexSettings,
    pathIn: (_folder, name) => name,
    mayCommit: false,
    recordsCallsUnderWay: true,
    tellsCost: false,
  },
  {
    agent: "codex",
    way: "codex-acp",
    dialect: "responses",
    programs: { codex: "codex", "codex-acp": "codex-acp" },
    settle: codexSettings,
    pathIn: (_folder, name) => name,
    mayCommit: false,
    recordsCallsUnderWay: true,
    tellsCost: false,
  },
  {
    agent: "gemini",
    way: "gemini --acp",
    dialect: "gemini",
    programs: { gemini: "gemini-cli" },
    settle: geminiSettings,
    letTimePass: backdateGeminiSessions,
    pathIn: inside,
    mayCommit: true,
    recordsCallsUnderWay: true,
    tellsCost: false,
  },
  {
    agent: "opencode",
    way: "opencode acp",
    dialect: "chat",
    programs: { opencode: "opencode" },
    settle: opencodeSettings,
    pathIn: inside,
    mayCommit: true,
    recordsCallsUnderWay: false,
    tellsCost: false,
  },
];

const sourceOf = ([program, folder]: [string, string]) => join(toolCache, folder, "node_modules", ".bin", program);

const isThere = ({ programs }: RealTool) => Object.entries(programs).every((entry) => existsSync(sourceOf(entry)));

export const toolsHere = allTools.filter(isThere);
export const toolsMissing = allTools.filter((tool) => !isThere(tool));

/** An environment in which a tool finds its model, its own programs and git, and nothing of the machine's person. */
export function environmentFor(tool: RealTool, home: string, model: ScriptedModel): Record<string, string> {
  const bin = join(home, "bin");
  mkdirSync(bin, { recursive: true });
  symlinkSync(process.execPath, join(bin, "node"));
  for (const entry of Object.entries(tool.programs)) {
    symlinkSync(sourceOf(entry), join(bin, entry[0]));
  }
  return {
    PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local", "share"),
    XDG_CACHE_HOME: join(home, ".cache"),
    XDG_STATE_HOME: join(home, ".local", "state"),
    TERM: "dumb",
    // Whatever is not on this machine is out of reach.
    HTTP_PROXY: "http://127.0.0.1:9",
    HTTPS_PROXY: "http://127.0.0.1:9",
    NO_PROXY: "127.0.0.1,localhost",
    ...tool.settle(home, model),
  };
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
