import type { ToolHome } from "../driver";

export interface RegistryEntry {
  id: string;
  title: string;
  /** Its npm package; without one the registry has only archives, which the worker does not fetch. */
  package?: { name: string; version: string };
  program: string;
  args: readonly string[];
  environment?: Record<string, string>;
  page: string;
  /** For the sandbox, as its makers document it; what is not here is the user's to name. */
  home?: ToolHome;
  /** Names of its variables. */
  variables?: RegExp;
  hosts?: readonly string[];
}

/** Day of the copy. */
export const copiedOn = "2026-02-07";

/** Copy of the registry: what is started. */
export const entries: readonly RegistryEntry[] = [
  {
    id: "auggie",
    title: "Auggie CLI",
    package: { name: "@augmentcode/auggie", version: "0.15.0" },
    program: "auggie",
    args: ["--acp"],
    environment: { AUGMENT_DISABLE_AUTO_UPDATE: "1" },
    page: "https://github.com/augmentcode/auggie",
    home: { settings: [".augment/settings.json"], login: [".augment/session.json"], copied: [] },
    variables: /^AUGMENT_\w+$/,
  },
  {
    id: "claude-code-acp",
    title: "Claude Code (claude-code-acp)",
    package: { name: "@zed-industries/claude-code-acp", version: "0.16.0" },
    program: "claude-code-acp",
    args: [],
    page: "https://github.com/zed-industries/claude-code-acp",
  },
  {
    id: "codex-acp",
    title: "Codex CLI (codex-acp)",
    program: "codex-acp",
    args: [],
    page: "https://github.com/zed-industries/codex-acp",
  },
  {
    id: "factory-droid",
    title: "Factory Droid",
    program: "droid",
    args: ["exec", "--output-format", "acp"],
    environment: { DROID_DISABLE_AUTO_UPDATE: "true", FACTORY_DROID_AUTO_UPDATE_ENABLED: "false" },
    page: "https://factory.ai",
    variables: /^FACTORY_\w+$/,
  },
  {
    id: "gemini",
    title: "Gemini CLI",
    package: { name: "@google/gemini-cli", version: "0.27.3" },
    program: "gemini",
    args: ["--experimental-acp"],
    page: "https://github.com/google-gemini/gemini-cli",
  },
  {
    id: "github-copilot",
    title: "GitHub Copilot",
    package: { name: "@github/copilot-language-server", version: "1.425.0" },
    program: "copilot-language-server",
    args: ["--acp"],
    page: "https://github.com/github/copilot-language-server-release",
    home: {
      settings: [".config/github-copilot/apps.json", ".config/github-copilot/hosts.json"],
      login: [],
      copied: [],
    },
    hosts: ["api.githubcopilot.com", "api.github.com", "github.com"],
  },
  {
    id: "kimi",
    title: "Kimi CLI",
    program: "kimi",
    args: ["acp"],
    page: "https://github.com/MoonshotAI/kimi-cli",
    home: {
      moved: { variable: "KIMI_SHARE_DIR", folder: ".kimi" },
      settings: [".kimi/config.toml", ".kimi/mcp.json"],
      login: [".kimi/credentials/kimi-code.json"],
      copied: [".kimi/kimi.json"],
    },
    variables: /^(KIMI|MOONSHOT)_\w+$/,
    hosts: ["api.kimi.com"],
  },
  {
    id: "mistral-vibe",
    title: "Mistral Vibe",
    program: "vibe-acp",
    args: [],
    page: "https://github.com/mistralai/mistral-vibe",
    home: {
      moved: { variable: "VIBE_HOME", folder: ".vibe" },
      settings: [".vibe/config.toml", ".vibe/.env"],
      login: [],
      copied: [],
    },
    variables: /^(MISTRAL|VIBE)_\w+$/,
    hosts: ["api.mistral.ai"],
  },
  { id: "opencode", title: "opencode", program: "opencode", args: ["acp"], page: "https://github.com/sst/opencode" },
  {
    id: "qoder",
    title: "Qoder CLI",
    package: { name: "@qoder-ai/qodercli", version: "0.1.26" },
    program: "qodercli",
    args: ["--acp"],
    page: "https://qoder.com",
    variables: /^QODER_\w+$/,
  },
  {
    id: "qwen-code",
    title: "Qwen Code",
    package: { name: "@qwen-code/qwen-code", version: "0.9.1" },
    program: "qwen",
    args: ["--acp", "--experimental-skills"],
    page: "https://github.com/QwenLM/qwen-code",
    home: {
      settings: [".qwen/settings.json", ".qwen/.env", ".qwen/QWEN.md"],
      login: [".qwen/oauth_creds.json"],
      copied: [],
    },
    variables: /^(QWEN|DASHSCOPE|OPENAI)_\w+$/,
    hosts: ["portal.qwen.ai", "chat.qwen.ai", "dashscope.aliyuncs.com"],
  },
];
