import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openJournal } from "../../../worker/base/journal";
import { openForgejo } from "../../../worker/forge/forgejo/forgejo";
import { openGitHub } from "../../../worker/forge/github/github";
import { openGitLab } from "../../../worker/forge/gitlab/gitlab";
import { locationOf } from "../../../worker/forge/location";
import { openRequests } from "../../../worker/forge/requests";
import type { Service } from "../../../worker/service/service";
import { connectService } from "../../../worker/service/service";
import type { Barrier } from "../barrier";
import { flags } from "../flags";
import type { HeldTool, openToolGate } from "../tool-gate";
import { startWorker, type WorkerProcess } from "../worker-process";
import type { Fault, ForgeWorld } from "./world";

/** Where a worker is killed: at a call of the service, at a request to the Git host, or where a hook of the host holds its push. */
export type Step =
  | { service: HeldTool }
  | { host: Pick<Fault, "method" | "path"> & { when: "before" | "after" } }
  | { push: Barrier };

type Stage = { forge: ForgeWorld; gate: Awaited<ReturnType<typeof openToolGate>>; token: string; home: string };

/** A clone whose main branch says what kind of Git host it is. */
export function writeRules(forge: ForgeWorld, home: string, more = ""): string {
  const seed = join(home, `rules-${forge.kind}`);
  const git = forge.clone(seed);
  writeFileSync(join(seed, ".backloom.yml"), `forge: ${forge.kind}\n${more}`);
  git("add", ".");
  git("commit", "--quiet", "-m", "Rules");
  forge.push(git);
  const repo = join(home, `repo-${forge.kind}`);
  forge.clone(repo);
  return repo;
}

/** Starts a worker that looks at its Git host every two seconds. */
export function startWatcher(
  { forge, gate, token, home }: Stage,
  { code, repo, name }: { code: string; repo: string; name: string },
  ...args: string[]
): WorkerProcess {
  const folder = join(home, `${name}-${code}`);
  mkdirSync(folder, { recursive: true });
  const exec = args.includes("--exec") ? [] : ["--exec", "true"];
  return startWorker(
    [
      ...flags({ url: gate.url, token, product: code, repo, name, "work-dir": join(folder, "work") }),
      ...exec,
      ...flags({ sandbox: "off", pr: true }),
      ...args,
    ],
    { BACKLOOM_FORGE_TOKEN: forge.token, BACKLOOM_FORGE_POLL_SECONDS: "2" },
  );
}

/** Kills a worker with -9 as soon as it comes to the step. */
export async function killAt(
  { forge, gate }: Pick<Stage, "forge" | "gate">,
  step: Step,
  start: () => WorkerProcess,
): Promise<void> {
  let reached: Promise<void> | undefined;
  if ("service" in step) {
    reached = gate.hold(step.service).reached;
  } else if ("host" in step) {
    const { when, ...request } = step.host;
    reached = new Promise((resolve) => {
      forge.faults.push({ ...request, held: { when, reached: resolve } });
    });
  }
  const victim = start();
  if ("push" in step) reached = step.push.reached(victim.output);
  const early = victim.ended.then(() => {
    throw new Error(`The worker ended before the step:\n${victim.output()}`);
  });
  await Promise.race([reached, early]);
  early.catch(() => undefined);
  await victim.end("SIGKILL");
}

const openers = { github: openGitHub, gitlab: openGitLab, forgejo: openForgejo };

/** What a worker asks its Git host and its service with, in this process. */
export function connectBoth(world: ForgeWorld, url: string, token: string) {
  const location = locationOf(world.remote, world.kind, undefined);
  const headers = { authorization: `Bearer ${world.token}`, "user-agent": "test" };
  const { token: secret, kind: title } = world;
  const requests = openRequests({ api: location.api, title, headers, secret });
  const service: Service = connectService(
    { url, token },
    openJournal(() => undefined),
    (text) => text,
    new AbortController().signal,
  );
  return { forge: openers[world.kind](location, requests), service };
}
