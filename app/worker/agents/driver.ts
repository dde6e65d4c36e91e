import type { PersonMessage } from "~/contract/agent-message";
import type { KnownAgent } from "~/contract/known-agents";
import type { QuestionKind } from "~/contract/question";
import type { Confine } from "../sandbox/launch";
import type { Entry, Transcript } from "./transcript";

/** What an agent may do without asking a person: change files, run commands too, or anything at all. */
export const allowances = ["edit", "commands", "all"] as const;
export type Allowance = (typeof allowances)[number];

/** Tokens in four disjoint counts, and the cost that the tool itself knows. Null was never said, zero was said. */
export interface Usage {
  model: string | null;
  freshInput: number | null;
  output: number | null;
  cacheRead: number | null;
  cacheWrite: number | null;
  cost: number | null;
  currency: string | null;
}

/** What a tool says that a whole conversation has cost so far. */
export interface SessionCost {
  amount: number;
  currency: string;
}

/** Where the entries and the usage of an attempt go. All of it is free of secrets. */
export interface AgentSink {
  entry(entry: Entry): void;
  /** What a turn took, once for each model, however the turn ended. */
  usage(usage: Usage): void;
  /** What the turn took so far, as far as the tool tells while it works. */
  usageSoFar(usage: readonly Usage[]): void;
  /** By this name the same tool on this machine takes the conversation up again. */
  session(id: string): void;
  /** How far the tool's own count of that conversation is: whoever takes it up again pays only for what comes after. */
  sessionCost(cost: SessionCost): void;
}

/** What a person has said to an earlier question of the agent. `permission`: said by the person whose machine this is. */
export interface GivenAnswer {
  kind: QuestionKind;
  question: string;
  answer: string;
}

/** What people write to the agent while a turn goes on. */
export interface TurnMessages {
  /**
   * Hands over each message once, those that wait at once, until the returned function ends it. What the agent has not seen by
   * then waits for the next turn.
   */
  follow(take: (message: PersonMessage) => void): () => void;
  seen(ids: readonly string[]): void;
}

/** One turn: words for the agent, until it stops by itself or is stopped. */
export interface AgentTurn {
  folder: string;
  promptFile: string;
  /** All of it: nothing of the worker's own environment is added. */
  environment: Record<string, string>;
  /** Puts the tool into the sandbox of the job. */
  confine?: Confine | undefined;
  allow: Allowance;
  model?: string | undefined;
  /** In US dollars: a tool that can stop itself at a sum is told this one. Heartbeats stop the others. */
  mostCost?: number | undefined;
  /** The conversation to go on with, and the words for it. A tool that does not know it any more begins anew with the prompt. */
  resume?:
    | {
        sessionId: string;
        promptFile: string;
        cost?: SessionCost | undefined;
        /** What was said in it, for the conversation that has to be begun in its place. */
        recall?: () => Promise<string>;
      }
    | undefined;
  answers: readonly GivenAnswer[];
  /** What people write meanwhile; a tool that takes nothing while it works leaves it for the next turn. */
  messages?: TurnMessages | undefined;
  /** Aborted when the turn must end; everything that was started ends with it. */
  signal: AbortSignal;
  /** A tool that says nothing for so long is stopped. */
  silenceSeconds: number;
  /** Values that must not leave this machine. */
  secrets: readonly string[];
  /** Where the process is noted, for a later life of the worker. */
  pidFile?: string | undefined;
  /** Everything that the tool prints, as it is. */
  logFile?: string | undefined;
}

/** Something that only a person can say; a permission only the person whose machine this is. */
export interface AgentQuestion {
  kind?: QuestionKind;
  question: string;
  options: string[];
}

/** `killed`: something else than the tool ended it, the system without memory for example. */
export type FailureCause =
  | "crash"
  | "killed"
  | "refusal"
  | "silence"
  | "sign-in"
  | "missing"
  | "error";

/** How a turn ended. */
export type TurnEnd =
  | { kind: "done" }
  | { kind: "question"; question: AgentQuestion }
  /** `isBudget`: the sum is used up that the turn was given. */
  | { kind: "limit"; reason: string; resetsAt: string | null; isBudget?: boolean }
  | { kind: "failed"; cause: FailureCause; reason: string };

/** The same with what else is known of it. */
export type AgentEnd = TurnEnd & {
  /** What the agent said last, in full. */
  words: string;
  sessionId: string | null;
  /** What it wanted to do and was not allowed to. */
  denied: string[];
};

/** What a protocol hands on while a turn goes on. */
export interface TurnOutput {
  transcript: Transcript;
  usage(usage: Usage): void;
  usageSoFar(usage: readonly Usage[]): void;
  session(id: string): void;
  sessionCost(cost: SessionCost): void;
  denied(what: string): void;
  /** The tool is alive: the clock of its silence begins anew. */
  heard(): void;
}

/** How a tool of this machine is started and spoken to. */
export interface ToolStart {
  /** How it is spoken to, in a word or two. */
  way: string;
  /** The program that is started. */
  program: string;
  run(turn: AgentTurn, output: TurnOutput): Promise<TurnEnd>;
  /** What the tool's own record of the session says it took since then; null where there is none to be found. */
  recorded?(
    turn: Pick<AgentTurn, "environment" | "confine" | "folder">,
    sessionId: string,
    since: Date,
  ): Promise<Usage[] | null>;
  /** True where the record is asked only when the tool itself told no counts. */
  tellsMoreThanRecord?: boolean;
}

export interface Driver extends KnownAgent {
  /** The program that its makers install, asked for its version. */
  program: string;
  /** Looks for the tool in an environment; null when it is not installed. */
  find(environment: Record<string, string>): Promise<ToolStart | null>;
  /** Whether somebody is signed in, as far as that shows from outside; null when it does not. */
  isSignedIn(environment: Record<string, string>): Promise<boolean | null>;
}
