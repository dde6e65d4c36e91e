import type { Confine } from "./launch";
import type { RefusedHost } from "./network/job-network";
import type { Reach } from "./network/reach";
import type { Confinement } from "./wish";

/** What stands between this machine and everything that a model or a repository chose to run. */
export interface Sandbox {
  confinement: Confinement;
  /** For the person who starts the worker. */
  description: string;
  open(job: SandboxedJob): Promise<JobSandbox>;
}

export interface SandboxedJob {
  id: string;
  attempt: number;
  /** Jobs of the same repository share what package managers keep. */
  repository: string;
  /** Hosts that it may reach. */
  reaches: readonly Reach[];
  /** Hosts that the repository names: its person is asked at once for those that it may not reach. */
  wanted: readonly Reach[];
  /** Called once for each other host that it wants. */
  refused(host: RefusedHost): void;
  /** What of this machine the repository needs and its person has allowed; the list may grow while the job goes on. */
  mounts: readonly string[];
}

/** The sandbox of one job. */
export interface JobSandbox {
  /** Undefined where there is no sandbox. */
  confine: Confine | undefined;
  /** The same variables as they hold inside. */
  environment(persons: Record<string, string>): Record<string, string>;
  close(): Promise<void>;
}

/** For a worker that was told `--sandbox off`, and where there is none. */
export const noSandbox: JobSandbox = {
  confine: undefined,
  environment: (persons) => persons,
  close: async () => undefined,
};
