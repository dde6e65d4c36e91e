import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { makeBarrier } from "./barrier";
import { gitIn } from "./fixture";
import type { HeldTool, openToolGate } from "./tool-gate";
import type { WorkerProcess } from "./worker-process";

/** Where a worker is caught: at a call to the service, in git, or in a command of the user. */
export type KillPoint =
  | (HeldTool & { meanwhile?: "exec" })
  | { hook: "post-checkout" | "post-commit" | "pre-push" }
  | { origin: "fetch" | "post-receive" }
  | { command: "exec" | "test" | "pr"; task?: string };

/** The folders of the worker that is to be caught. */
type Ground = { folder: string; repository: string; origin: string };

export interface Breakpoint {
  /** What the worker is started with next to the usual. */
  args: string[];
  exec(command: string): string;
  reached(victim: WorkerProcess): Promise<void>;
  /** Lets go what was held, when its worker is dead and another one has done the work. */
  release(): Promise<void>;
}

type Gate = Awaited<ReturnType<typeof openToolGate>>;

export function setBreakpoint(point: KillPoint, gate: Gate, ground: Ground): Breakpoint {
  return "tool" in point ? atTool(point, gate, ground) : atProgram(point, ground);
}

/** A call that was held before the service heard it is heard late, and has to be refused. */
function atTool(point: Extract<KillPoint, HeldTool>, gate: Gate, { folder }: Ground): Breakpoint {
  const busy = point.meanwhile && makeBarrier(join(folder, "hold"));
  // While the command runs, and not before.
  let call = busy ? undefined : gate.hold(point);
  return {
    args: busy ? ["--heartbeat", "0.2"] : [],
    exec: (command) => (busy ? `${command}; ${busy.script}` : command),
    async reached(victim) {
      await busy?.reached(victim.output);
      call ??= gate.hold(point);
      await orItsEnd(call.reached, victim);
    },
    async release() {
      await busy?.release();
      if (point.when === "after") return;
      if (!call) throw new Error(`${point.tool} was never called`);
      const { isError, structuredContent } = await call.answer();
      expect({ isError, ...structuredContent }).toMatchObject(
        point.tool === "job_heartbeat" ? { action: "stop" } : { isError: true, code: 409 },
      );
    },
  };
}

/** What the worker had started continues without it. */
function atProgram(point: Exclude<KillPoint, HeldTool>, ground: Ground): Breakpoint {
  const isFetch = "origin" in point && point.origin === "fetch";
  const barrier = makeBarrier(join(ground.folder, "hold"), isFetch ? 'git upload-pack "$@"' : "exit 0");
  const { script } = barrier;
  const breakpoint: Breakpoint = {
    args: [],
    exec: (command) => command,
    reached: (victim) => barrier.reached(victim.output),
    release: barrier.release,
  };
  if ("hook" in point) {
    breakpoint.args = ["--hooks"];
    copyHook(script, join(ground.repository, ".git"), point.hook);
  } else if ("origin" in point) {
    if (isFetch) gitIn(ground.repository)("config", "remote.origin.uploadpack", script);
    else copyHook(script, ground.origin, point.origin);
  } else if (point.command === "exec") {
    const when = point.task ? `[ "$BACKLOOM_TASK_CODE" != ${point.task} ] || ` : "";
    breakpoint.exec = (command) => `${command}; ${when}${script}`;
  } else {
    breakpoint.args = [`--${point.command}`, `${script}; echo https://example.com/pull/1`];
  }
  return breakpoint;
}

function copyHook(script: string, repository: string, name: string): void {
  mkdirSync(join(repository, "hooks"), { recursive: true });
  copyFileSync(script, join(repository, "hooks", name));
}

/** Fails with what the worker said when it never comes to the place. */
async function orItsEnd(reached: Promise<void>, victim: WorkerProcess): Promise<void> {
  const gone = victim.ended.then(() => {
    throw new Error(`The worker ended:\n${victim.output()}`);
  });
  gone.catch(() => undefined);
  await Promise.race([reached, gone]);
}
