const lines: Record<string, (id: string) => string> = {
  claude: (id) => `claude --resume ${id}`,
  codex: (id) => `codex resume ${id}`,
  gemini: (id) => `gemini --resume ${id}`,
  opencode: (id) => `opencode --session ${id}`,
};

/**
 * The line that opens an agent's conversation in a terminal; null where there is none. The id comes from the agent and
 * ends up in a shell, so nothing but plain characters passes.
 */
export function resumeLine(agent: string | null, sessionId: string | null): string | null {
  if (agent === null || sessionId === null || !/^\w[\w.-]*$/.test(sessionId)) return null;
  return lines[agent]?.(sessionId) ?? null;
}
