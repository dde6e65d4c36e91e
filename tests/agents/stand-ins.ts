import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const acp = `exec "${process.execPath}" "${fileOf("fake-agent.mjs")}"`;
const lines = `exec "${process.execPath}" "${fileOf("stand-in.mjs")}"`;

/** Every way of speaking to an agent, with the programs that replace it here. */
export const ways = {
  "claude -p": { agent: "claude", programs: ["claude"] },
  "claude-agent-acp": { agent: "claude", programs: ["claude", "claude-agent-acp"] },
  "codex exec": { agent: "codex", programs: ["codex"] },
  "codex-acp": { agent: "codex", programs: ["codex", "codex-acp"] },
  "gemini --acp": { agent: "gemini", programs: ["gemini"] },
  "opencode acp": { agent: "opencode", programs: ["opencode"] },
} as const;

/** Programs that answer nothing but the protocol, and a home in which they keep their prompts (`fake-session.json`). */
export function standIns(folder: string, programs: readonly string[]): Record<string, string> {
  const [bin, own] = [join(folder, "bin"), join(folder, "own")];
  for (const place of [bin, own]) mkdirSync(place, { recursive: true });
  for (const name of programs) {
    const start = name.endsWith("-acp")
      ? acp
      : name === "claude" || name === "codex"
        ? `case "$*" in *-p*|*exec*|*resume*) ${lines} ${name} "$@";; esac`
        : `case "$*" in *acp*) echo "$*" >> "$HOME/${name}-words"; ${acp};; esac`;
    writeFileSync(join(bin, name), `#!/bin/sh\n${start}\n`, { mode: 0o755 });
  }
  return {
    HOME: own,
    PATH: `${bin}:${process.env.PATH}`,
    FAKE_ENDING: "plans",
    ANTHROPIC_API_KEY: "of-nobody",
    OPENAI_API_KEY: "of-nobody",
    GEMINI_API_KEY: "of-nobody",
  };
}

/** The prompts of the conversation that the last agent had, first to last. */
export function promptsIn(folder: string): string[] {
  return callsIn(folder).map(({ prompt }) => prompt);
}

/** The calls of that conversation: the words of the command line where the way has any, and the prompt. */
export function callsIn(folder: string): { words: string[]; prompt: string }[] {
  const said = JSON.parse(readFileSync(join(folder, "own/fake-session.json"), "utf8"));
  if (Array.isArray(said)) return said;
  return said.words.map((prompt: string) => ({ words: [], prompt }));
}
