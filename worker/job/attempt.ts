import { join } from "node:path";
import type { JobPayload } from "~/wire/workers/contract";
import type { Journal } from "../base/journal";
import type { WorkerOptions } from "../base/options";
import type { WorkFolder } from "../base/work-folder";
import type { Changes } from "../git/changes";
import type { Reference } from "../git/references";
import type { Rules } from "../git/rules";
import type { Worktree } from "../git/worktree";
import type { JobSandbox } from "../sandbox/sandbox";
import type { Heartbeat } from "../service/heartbeat";
import type { AttemptOutput } from "../service/output-sender";
import type { Service } from "../service/service";
import type { Keeper } from "./open/keeper";
import type { Tally } from "./report/tally";
import type { Messages } from "./turn/messages";

export interface WorkerTools {
  options: WorkerOptions;
  service: Service;
  journal: Journal;
  folder: WorkFolder;
  /** Command line of the built-in demo. */
  demoCommand: string;
  clean: (text: string) => string;
}

export interface Attempt extends WorkerTools {
  job: JobPayload;
  heartbeat: Heartbeat;
  tally: Tally;
  keeper: Keeper;
  output: AttemptOutput;
  changes: Changes;
  messages: Messages;
}

export interface JobLocation {
  folder: string;
  rules: Rules;
  /** Everything a model or a repository chose runs in here. */
  sandbox: JobSandbox;
}

export interface Workspace extends Worktree, JobLocation {
  testCommand: string | undefined;
  references?: readonly Reference[];
  kept: readonly string[];
}

/** A failure as reported to the service. Without a class nothing failed: the job waits, for what the reason says. */
export type Failure = { failure_class?: string | undefined; failure_reason: string; resets_at?: string | undefined };

/** Path of the raw output of an attempt's commands. */
export function logFileOf({ folder, job }: Pick<Attempt, "folder" | "job">): string {
  return join(folder.logs, `${job.id}-${job.attempt}.log`);
}
