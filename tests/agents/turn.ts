import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { AgentTurn, Driver, SessionCost, Usage } from "../../worker/agents/driver";
import { runAgent } from "../../worker/agents/run-agent";
import type { Entry } from "../../worker/base/transcript";

/** Homes and repositories of a file's turns; Codex wants no home below the temporary folder. */
export function makeStage() {
  const root = mkdtempSync(join(process.env.AGENTS_STAGE ?? tmpdir(), "backloom-agents-"));
  afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  let number = 0;
  return () => {
    number += 1;
    const home = join(root, `home-${number}`);
    const folder = join(root, `repo-${number}`);
    mkdirSync(home);
    mkdirSync(folder);
    const git = (...words: string[]) =>
      execFileSync("git", words, { cwd: folder, encoding: "utf8", env: { ...process.env, HOME: home } }).trim();
    git("init", "--quiet", "--initial-branch=main");
    // In the repository itself: Gemini CLI hides what is in the home from the git that it starts.
    git("config", "user.name", "Ada");
    git("config", "user.email", "ada@example.com");
    git("commit", "--quiet", "--allow-empty", "-m", "Begin");
    return { home, folder, git };
  };
}

/**
 * What is said in pieces is one entry, or several where the machine was busy between the pieces: after 400 ms what is there is
 * shown but its last word, which may be half a secret.
 */
export function inOne<Part extends Pick<Entry, "kind" | "text">>(entries: readonly Part[]): Part[] {
  const whole: Part[] = [];
  for (const entry of entries) {
    const last = whole.at(-1);
    const goesOn = last?.kind === entry.kind && ["text", "thought"].includes(entry.kind);
    if (goesOn) whole.splice(-1, 1, { ...last, text: last.text + entry.text });
    else whole.push(entry);
  }
  return whole;
}

export interface HeardTurn {
  entries: Entry[];
  usages: Usage[];
  soFar: Usage[][];
  sessions: string[];
  cost: SessionCost | undefined;
  end: Awaited<ReturnType<typeof runAgent>> | null;
  thrown: unknown;
}

export type Wish = Partial<Omit<AgentTurn, "resume">> & {
  sessionId?: string | undefined;
  /** What that session had cost by the agent's own count. */
  sessionCost?: SessionCost | undefined;
} & Pick<AgentTurn, "folder" | "environment">;

export async function takeTurn(
  driver: Driver,
  words: string,
  wish: Wish,
  watch: (entry: Entry) => void = () => undefined,
): Promise<HeardTurn> {
  const { sessionId, sessionCost, ...rest } = wish;
  const promptFile = join(wish.environment.HOME ?? tmpdir(), "prompt.md");
  writeFileSync(promptFile, words);
  const tool = await driver.find(wish.environment);
  if (tool === null) throw new Error(`${driver.name} is not installed`);
  const heard: HeardTurn = {
    entries: [],
    usages: [],
    soFar: [],
    sessions: [],
    cost: undefined,
    end: null,
    thrown: undefined,
  };
  const turn: AgentTurn = {
    promptFile,
    allow: "commands",
    answers: [],
    signal: new AbortController().signal,
    silenceSeconds: 60,
    secrets: [],
    ...rest,
    resume: sessionId === undefined ? undefined : { sessionId, promptFile, cost: sessionCost },
  };
  heard.end = await runAgent(tool, turn, {
    entry: (entry) => {
      heard.entries.push(entry);
      watch(entry);
    },
    usage: (usage) => heard.usages.push(usage),
    usageSoFar: (usages) => heard.soFar.push([...usages]),
    session: (id) => heard.sessions.push(id),
    sessionCost: (cost) => {
      heard.cost = cost;
    },
  }).catch((error: unknown) => {
    heard.thrown = error;
    return null;
  });
  return heard;
}
