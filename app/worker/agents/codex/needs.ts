import { inFolder, type ToolNeeds } from "../needs";

export const codexNeeds: ToolNeeds = {
  home: {
    moved: { variable: "CODEX_HOME", folder: ".codex" },
    settings: inFolder(".codex", [
      ...["config.toml", "AGENTS.md", "AGENTS.override.md", "prompts", "skills", "rules"],
    ]),
    login: [".codex/auth.json"],
    copied: [],
  },
  programs: ["codex", "codex-acp"],
  variables: () => [/^((OPENAI|CODEX|AZURE_OPENAI)_\w+)$/],
  hosts: ["api.openai.com", "chatgpt.com", "auth.openai.com"],
  ownLookups: ["ab.chatgpt.com", "api.github.com", "github.com"],
};
