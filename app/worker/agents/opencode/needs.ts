import { inFolder, type ToolNeeds } from "../needs";

export const opencodeNeeds: ToolNeeds = {
  home: {
    settings: inFolder(".config/opencode", [
      ...["opencode.json", "opencode.jsonc", "config.json", "AGENTS.md", "agent", "agents"],
      ...["command", "commands", "mode", "modes", "plugin", "plugins", "skill", "skills", "tools"],
    ]),
    login: [],
    copied: [".local/share/opencode/auth.json"],
  },
  programs: ["opencode"],
  variables: () => [
    /^(OPENCODE_\w+|(ANTHROPIC|OPENAI|GEMINI|GOOGLE_GENERATIVE_AI|OPENROUTER|GROQ|MISTRAL|DEEPSEEK|XAI)_API_KEY)$/,
  ],
  hosts: ["opencode.ai", "models.dev"],
  ownLookups: ["models.opencode.ai"],
};
