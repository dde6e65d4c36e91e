import { inFolder, type ToolNeeds } from "../needs";

export const claudeNeeds: ToolNeeds = {
  home: {
    moved: { variable: "CLAUDE_CONFIG_DIR", folder: ".claude" },
    settings: inFolder(".claude", [
      ...["settings.json", "CLAUDE.md", "agents", "commands", "skills", "plugins"],
      ...["rules", "output-styles"],
    ]),
    login: [".claude/.credentials.json"],
    copied: [".claude.json"],
  },
  programs: ["claude", "claude-agent-acp"],
  variables: ({ CLAUDE_CODE_USE_BEDROCK }) => [
    /^(ANTHROPIC_\w+|CLAUDE_\w+|DISABLE_\w+|MAX_\w+_TOKENS|API_TIMEOUT_MS|IS_SANDBOX|CLOUD_ML_REGION|VERTEX_REGION_\w+)$/,
    ...(CLAUDE_CODE_USE_BEDROCK ? [/^AWS_\w+$/] : []),
  ],
  hosts: ["api.anthropic.com", "console.anthropic.com", "platform.claude.com", "claude.ai"],
  ownLookups: [],
};
