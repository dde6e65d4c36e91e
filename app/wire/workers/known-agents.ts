/** What a driver gets from its tool. `docs/worker.md` and *Connect an agent* show this as a table. */
export interface AgentReports {
  entries: string;
  tokens: string;
  cost: string;
  resume: string;
  questions: string;
  limits: string;
}

/** A coding agent that the worker knows by name. Its driver is built from this. */
export interface KnownAgent {
  name: string;
  /** Product name. */
  title: string;
  install: string;
  /** How to sign in on this machine. */
  signIn: string;
  /** The words before a conversation's id that open it in a terminal. */
  opensConversation?: string;
  /** One entry per command that a driver can use. */
  reports: Record<string, AgentReports>;
}

const claude: KnownAgent = {
  name: "claude",
  title: "Claude Code",
  install: "npm install -g @anthropic-ai/claude-code (and @agentclientprotocol/claude-agent-acp to let it ask)",
  signIn: "start claude once and sign in",
  opensConversation: "claude --resume",
  reports: {
    "claude -p": {
      entries: "text, thoughts, commands, edits line by line",
      tokens: "live and at the end",
      cost: "yes, in USD",
      resume: "yes",
      questions: "in the result file; anything not allowed is refused",
      limits: "yes, with the reset time if known",
    },
    "claude-agent-acp": {
      entries: "text, thoughts, commands, edits line by line, plan",
      tokens: "at the end",
      cost: "yes, in USD",
      resume: "yes",
      questions: "yes, and permissions",
      limits: "yes",
    },
  },
};

const codex: KnownAgent = {
  name: "codex",
  title: "Codex",
  install: "npm install -g @openai/codex (and @agentclientprotocol/codex-acp to let it ask)",
  signIn: "run codex login",
  opensConversation: "codex resume",
  reports: {
    "codex exec": {
      entries: "text, thoughts, commands, names of edited files, plan",
      tokens: "at the end",
      cost: "from the price list",
      resume: "yes",
      questions: "in the result file; anything its sandbox forbids fails",
      limits: "yes, with the reset time if known",
    },
    "codex-acp": {
      entries: "text, thoughts, commands, edits line by line, plan",
      tokens: "at the end",
      cost: "from the price list",
      resume: "yes",
      questions: "yes, and permissions to leave its sandbox",
      limits: "yes",
    },
  },
};

const gemini: KnownAgent = {
  name: "gemini",
  title: "Gemini CLI",
  install: "npm install -g @google/gemini-cli",
  signIn: "start gemini once and sign in",
  opensConversation: "gemini --resume",
  reports: {
    "gemini --acp": {
      entries: "text, thoughts, commands (no output), edits line by line, plan",
      tokens: "at the end",
      cost: "from the price list",
      resume: "yes",
      questions: "permissions; other questions in the result file",
      limits: "yes",
    },
  },
};

const opencode: KnownAgent = {
  name: "opencode",
  title: "opencode",
  install: "npm install -g opencode-ai",
  signIn: "run opencode auth login",
  opensConversation: "opencode --session",
  reports: {
    "opencode acp": {
      entries: "text, thoughts, commands, names of edited files, plan",
      tokens: "at the end",
      cost: "in USD, if it knows the price",
      resume: "yes",
      questions: "permissions; other questions in the result file",
      limits: "yes",
    },
  },
};

export const knownAgents = { claude, codex, gemini, opencode };
