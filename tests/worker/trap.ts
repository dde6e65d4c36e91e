import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { gitIn } from "./fixture";
import { makeHold } from "./hold";
import type { HeldTool, openToolGate } from "./tool-gate";
import type { WorkerProcess } from "./worker-process";

/** Where a worker is caught: at a call to the service, in git, or in a command of the user. */
export type Place =
  | (HeldTool & { meanwhile?: "exec" })
  | { hook: "post-checkout" | "post-commit" | "pre-push" }
  | { origin: "fetch" | "post-receive" }
  | { command: "exec" | "test" | "pr"; task?: string };

/** The folders of the worker that is to be caught. */
interface Ground {
  folder: string;
  repository: string;
  origin: string;
}

export interface Trap {
  /** What the worker is started with next to the usual. */
  words: string[];
  exec(command: string): string;
  reached(victim: WorkerProcess): Promise<void>;
  /** Lets go what was held, when its worker is dead and another one has done the work. */
  release(): Promise<void>;
}

type Gate = Awaited<ReturnType<typeof openToolGate>>;

export function setTrap(place: Place, gate: Gate, ground: Ground): Trap {
  return "tool" in place ? atTool(place, gate, ground) : atProgram(place, ground);
}

/** A call that was held before the service heard it is heard late, and has to be refused. */
function atTool(place: Extract<Place, HeldTool>, gate: Gate, { folder }: Ground): Trap {
  const busy = place.meanwhile && makeHold(join(folder, "hold"));
  // While the command runs, and not before.
  let call = busy ? undefined : gate.hold(place);
  return {
    words: busy ? ["--heartbeat", "0.2"] : [],
    exec: (command) => (busy ? `${command}; ${busy.script}` : command),
    async reached(victim) {
      await busy?.reached(victim.output);
      call ??= gate.hold(place);
      await orItsEnd(call.reached, victim);
    },
    async release() {
      await busy?.release();
      if (place.when === "after") return;
      if (!call) throw new Error(`${place.tool} was never called`);
      const { isError, structuredContent } = await call.answer();
      expect({ isError, ...structuredContent }).toMatchObject(
        place.tool === "job_heartbeat" ? { action: "stop" } : { isError: true, code: 409 },
      );
    },
  };
}

/** What the worker had started continues without it. */
function atProgram(place: Exclude<Place, HeldTool>, ground: Ground): Trap {
  const isFetch = "origin" in place && place.origin === "fetch";
  const hold = makeHold(join(ground.folder, "hold"), isFetch ? 'git upload-pack "$@"' : "exit 0");
  const { script } = hold;
  const trap: Trap = {
    words: [],
    exec: (command) => command,
    reached: (victim) => hold.reached(victim.output),
    release: hold.release,
  };
  if ("hook" in place) {
    trap.words = ["--hooks"];
    copyHook(script, join(ground.repository, ".git"), place.hook);
  } else if ("origin" in place) {
    if (isFetch) gitIn(ground.repository)("config", "remote.origin.uploadpack", script);
    else copyHook(script, ground.origin, place.origin);
  } else if (place.command === "exec") {
    const when = place.task ? `[ "$BACKLOOM_TASK_CODE" != ${place.task} ] || ` : "";
    trap.exec = (command) => `${command}; ${when}${script}`;
  } else {
    trap.words = [`--${place.command}`, `${script}; echo https://example.com/pull/1`];
  }
  return trap;
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
