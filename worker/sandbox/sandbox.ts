import type { Confinement } from "~/wire/workers/confinement";
import { personsVariables } from "../base/environment";
import type { AllowedHost } from "../base/hosts";
import type { Confine } from "../base/process";
import type { Shared } from "../git/included";
import type { NeededMount } from "./mounts";
import type { RefusedHost } from "./network/job-network";

/** Separates this machine from everything that a model or a repository runs. */
export interface Sandbox {
  confinement: Confinement;
  /** Shown when the worker starts. */
  description: string;
  /** Names of the user's variables that programs inside do not get. */
  leftOut: readonly string[];
  open(job: SandboxedJob): Promise<JobSandbox>;
}

export interface SandboxedJob {
  id: string;
  command: string;
  repository: string;
  /** Hosts the job may reach. */
  allowedHosts: readonly AllowedHost[];
  /** Hosts the repository asks for. The user is asked at once about those not yet allowed. */
  wanted: readonly AllowedHost[];
  /** Called once for each other host the job tries. */
  refused(host: RefusedHost): void;
  /** Called when a program left the login of another account, and the one from before was put back. */
  loginPutBack(name: string): void;
  /** Ignored files of the user's checkout that each worktree has read-only. */
  shares: readonly Shared[];
  /** Paths of this machine that the repository needs and the user has allowed. The list may grow while the job runs. */
  mounts: readonly NeededMount[];
  /** Where the worker reaches a port of the inside: a folder that gets a socket named `in`. */
  entry?: { folder: string; port: number };
}

export interface JobSandbox {
  /** Undefined without a sandbox. */
  confine: Confine | undefined;
  /** The user's variables that programs get. */
  variables(): Record<string, string>;
  /** A program's variables, adapted to the inside. */
  environment(persons: Record<string, string>): Record<string, string>;
  close(): Promise<void>;
}

/** Used with `--sandbox off`, and if none is available. */
export const noSandbox: JobSandbox = {
  confine: undefined,
  variables: personsVariables,
  environment: (persons) => persons,
  close: async () => undefined,
};
