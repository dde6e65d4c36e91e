import type { PersonMessage } from "~/wire/comments/contract";
import type { QuestionKind } from "~/wire/questions/contract";
import type { Effort } from "~/wire/who";
import type { KnownAgent } from "~/wire/workers/known-agents";
import type { Allowance } from "../base/options";
import type { Confine } from "../base/process";
import type { Entry, Transcript } from "../base/transcript";

/** Four disjoint counts, and the cost if the tool knows it. Null means not reported, zero means zero was. */
export interface Usage {
  model: string | null;
  freshInput: number | null;
  output: number | null;
  cacheRead: number | null;
  cacheWrite: number | null;
  cost: number | null;
  currency: string | null;
}

/** Total cost of a conversation so far, as the tool reports it. */
export type SessionCost = { amount: number; currency: string };

/** Receives the entries and usage of an attempt, with secrets removed. */
export interface AgentSink {
  entry(entry: Entry): void;
  /** Usage of a turn, once per model, however the turn ended. */
  usage(usage: Usage): void;
  /** Usage of the turn so far, if the tool reports it while working. */
  usageSoFar(usage: readonly Usage[]): void;
  /** Id by which the same tool on this machine resumes the conversation. */
  session(id: string): void;
  /** The tool's own running cost of the conversation. A resumed turn is charged only what comes on top. */
  sessionCost(cost: SessionCost): void;
}

/** A person's answer to an earlier question of the agent. `permission`: answered by the worker's user. */
export type GivenAnswer = { kind: QuestionKind; question: string; answer: string };

export interface TurnMessages {
  /** Each message once, until the returned function is called; what was not seen by then waits for the next turn. */
  follow(take: (message: PersonMessage) => void): () => void;
  seen(ids: readonly string[]): void;
}

/** One turn: a prompt, until the agent stops or is stopped. */
export interface AgentTurn {
  folder: string;
  /** Other folders that the tool may read and not change. */
  reads?: readonly string[] | undefined;
  promptFile: string;
  /** Complete: nothing of the worker's own environment is added. */
  environment: Record<string, string>;
  /** Puts the tool into the job's sandbox. */
  confine?: Confine | undefined;
  allow: Allowance;
  model?: string | undefined;
  /** How hard it thinks; ignored by tools that have no such setting. */
  effort?: Effort | undefined;
  /** In US dollars, for tools with a budget option. Others are stopped by heartbeats. */
  mostCost?: number | undefined;
  /** The conversation to resume, and its prompt. A tool that no longer has it starts a new one with `promptFile`. */
  resume?:
    | {
        sessionId: string;
        promptFile: string;
        cost?: SessionCost | undefined;
        /** What was said before, for a new conversation in its place. */
        recall?: () => Promise<string>;
      }
    | undefined;
  answers: readonly GivenAnswer[];
  /** People's messages during the turn. Tools that read none while working leave them for the next turn. */
  messages?: TurnMessages | undefined;
  /** Aborted when the turn must end; ends everything it started. */
  signal: AbortSignal;
  /** A tool that prints nothing for this long is stopped. */
  silenceSeconds: number;
  /** Values that must not leave this machine. */
  secrets: readonly string[];
  /** Where the process id is stored, for the worker's next start. */
  pidFile?: string | undefined;
  /** Raw output of the tool. */
  logFile?: string | undefined;
}

/** A question only a person can answer; a permission only the worker's user. */
export type AgentQuestion = { kind?: QuestionKind; question: string; options: string[] };

/** `killed`: ended by something else, such as the system when out of memory. */
type FailureCause = "crash" | "killed" | "refusal" | "silence" | "sign-in" | "missing" | "error";

export type TurnEnd =
  | { kind: "done" }
  | { kind: "question"; question: AgentQuestion }
  /** `isBudget`: the turn has used up its budget. */
  | { kind: "limit"; reason: string; resetsAt: string | null; isBudget?: boolean }
  | { kind: "failed"; cause: FailureCause; reason: string };

export type AgentEnd = TurnEnd & {
  /** The agent's last message, in full. */
  words: string;
  sessionId: string | null;
  denied: string[];
};

export interface TurnOutput extends Omit<AgentSink, "entry"> {
  transcript: Transcript;
  denied(what: string): void;
  /** The tool is alive: restarts the silence timer. */
  alive(): void;
}

export interface ToolStart {
  /** Protocol, in a word or two. */
  way: string;
  program: string;
  run(turn: AgentTurn, output: TurnOutput): Promise<TurnEnd>;
  /** Usage since then from the tool's own session record; null if there is none. */
  recorded?(
    turn: Pick<AgentTurn, "environment" | "confine" | "folder">,
    sessionId: string,
    since: Date,
  ): Promise<Usage[] | null>;
  /** True if the record is used only when the tool reported no counts. */
  reportsMoreThanRecord?: boolean;
}

export interface Driver extends KnownAgent {
  /** The program that `--version` is asked of. */
  program: string;
  /** Without the worker's sandbox, it runs commands in its own; those it names for proof would run outside. */
  confinesCommands?: true;
  /** Finds the tool; null if it is not installed. */
  find(environment: Record<string, string>): Promise<ToolStart | null>;
  /** True if signed in; null if that is not visible from outside. */
  isSignedIn(environment: Record<string, string>): Promise<boolean | null>;
  /** Installs it where the user agrees, in a terminal; returns without a word where the worker cannot. */
  askToInstall?(environment: Record<string, string>, stop: AbortSignal): Promise<void>;
}

export interface KnownDriver extends Driver {
  needs: ToolNeeds;
}

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

export interface ToolNeeds {
  home: ToolHome;
  /** Programs that may be links to packages elsewhere. */
  programs: readonly string[];
  /** Its keys and settings among the user's variables. */
  variables(environment: Record<string, string>): RegExp[];
  /** Its model API and its login. */
  hosts: readonly string[];
  /** Hosts that it looks up by itself and works without: plugins, updates, statistics. */
  ownLookups: readonly string[];
  /** Where it keeps a file for each conversation, and how that file's name ends. */
  sessions?: { folder: string; endOf(sessionId: string): string };
}

export function inFolder(folder: string, names: readonly string[]): string[] {
  return names.map((name) => `${folder}/${name}`);
}
