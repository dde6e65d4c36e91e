import { createHash } from "node:crypto";
import { basename } from "node:path";
import { ask } from "../agents/find-program";
import { personsVariables } from "../job/environment";
import { probeDocker } from "./docker-probe";
import { apartFromOutside, innerEnvironment } from "./inner-environment";
import { openJobPlace, type PlaceWish, proxySocket } from "./job-place";
import { takeOver } from "./job-store";
import type { Launch } from "./launch";
import { forwarded, proxyVariables } from "./network/forwarder";
import type { JobNetwork } from "./network/job-network";
import type { JobSandbox, Sandbox, SandboxedJob } from "./sandbox";

interface DockerWish extends PlaceWish {
  image: string;
  /** A hash of it labels the worker's containers. */
  worktrees: string;
}

/** Sandbox with one container per program. System and programs come from the image the user chose. */
export async function openDocker(wish: DockerWish): Promise<Sandbox> {
  const { image, isOnline } = wish;
  const program = await probeDocker(image);
  const label = `backloom.worker=${createHash("sha256").update(wish.worktrees).digest("hex").slice(0, 16)}`;
  await removeLeft(program, label);
  return {
    confinement: isOnline ? "docker_open" : "docker",
    description: `sandbox docker ${image}, network: ${isOnline ? "all" : "listed hosts only"}`,
    leftOut: wish.passing.leftOut,
    open: (job) => openJob(wish, { program, label }, job),
  };
}

/** Removes containers left over from an earlier run of this worker. */
async function removeLeft(program: string, label: string): Promise<void> {
  const list = ["ps", "--all", "--quiet", "--filter", `label=${label}`];
  const left = (await ask(program, list, personsVariables()))?.stdout.split(/\s+/).filter(Boolean);
  if (left?.length) await ask(program, ["rm", "-f", ...left], personsVariables());
}

async function openJob(
  wish: DockerWish,
  { program, label }: { program: string; label: string },
  job: SandboxedJob,
): Promise<JobSandbox> {
  const { home, network, mountsOf, lendLogins } = await openJobPlace(wish, job);
  const proxy = network === null ? {} : proxyVariables(network.ports);
  const environment = (persons: Record<string, string>) => innerEnvironment(persons, home, proxy);
  const running = new Set<string>();
  let started = 0;
  const remove = async (name: string): Promise<void> => {
    if (running.delete(name)) await ask(program, ["rm", "-f", name], personsVariables());
  };
  const confine = async (launch: Launch): Promise<Launch> => {
    const { folder } = launch;
    started += 1;
    const name = `backloom-${job.id}-${job.attempt}-${started}`;
    const { outside } = apartFromOutside(launch.environment);
    const client = { ...outside, ...ofClient(personsVariables()) };
    const words = [
      ...["run", "--rm", "-i", "--init", "--name", name, "--label", label],
      ...["--network", network === null ? "host" : "none", "--pull", "never"],
      ...["--cap-drop", "ALL", "--security-opt", "no-new-privileges", ...userWords()],
      ...volumes(await mountsOf(folder)),
      ...variables(environment(launch.environment), client),
      ...["-w", folder, "--entrypoint=", wish.image],
      ...begun(network, [nameInside(launch.program), ...launch.words]),
    ];
    const checkLogins = await lendLogins();
    running.add(name);
    const cleared = async (): Promise<void> => {
      await remove(name);
      await checkLogins().finally(() => takeOver(folder));
    };
    return { program, words, folder, environment: client, cleared };
  };
  const close = async (): Promise<void> => {
    for (const name of running) await remove(name);
    await network?.close();
  };
  return { confine, variables: wish.passing.variables, environment, close };
}

/** Files written to the worktree must belong to the user, as they do outside. */
function userWords(): string[] {
  const [user, group] = [process.getuid?.(), process.getgid?.()];
  return user === undefined || group === undefined ? [] : ["--user", `${user}:${group}`];
}

/** `-v` options. Docker itself mounts folders before what lies inside them. */
function volumes(mounts: readonly string[]): string[] {
  const words: string[] = [];
  for (let index = 0; index < mounts.length; index += 3) {
    const [how, outside = "", inside = ""] = mounts.slice(index, index + 3);
    if (outside.includes(":") || inside.includes(":")) {
      throw new Error(`--sandbox docker: a path with a colon cannot be mounted (${outside})`);
    }
    words.push("-v", `${outside}:${inside}${how === "--ro-bind" ? ":ro" : ""}`);
  }
  return words;
}

/** These point to places on this machine; the image has its own. */
const ofThisMachine =
  /^(PATH|SHELL|PWD|OLDPWD|SHLVL|_|MANPATH|INFOPATH|JAVA_HOME|PYTHONHOME|PYTHONPATH|VIRTUAL_ENV|GOROOT|NODE_PATH|LD_.*|DYLD_.*|DOCKER_.*|\w+_(DIR|ROOT|HOME)|BUN_INSTALL|DENO_INSTALL)$/;
const kept = /^(TMPDIR|CLAUDE_\w*|CODEX_\w*|GEMINI_\w*|BACKLOOM_\w*)$/;

/** Passes the name only if the client has the value, which hides it from the process list. */
function variables(inside: Record<string, string>, client: Record<string, string>): string[] {
  return Object.entries(inside).flatMap(([name, value]) => {
    if (ofThisMachine.test(name) && !kept.test(name)) return [];
    return ["-e", client[name] === value ? name : `${name}=${value}`];
  });
}

const clients = /^(PATH|HOME|DOCKER_.*|XDG_RUNTIME_DIR|XDG_CONFIG_HOME|SSH_AUTH_SOCK|TMPDIR)$/;

/** The user's variables that the docker client itself needs. */
function ofClient(persons: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(persons).filter(([name]) => clients.test(name)));
}

/** Install paths of this machine mean nothing in the image, so only the name is used. */
function nameInside(program: string): string {
  return program === "/bin/sh" ? program : basename(program);
}

function begun(network: JobNetwork | null, words: string[]): string[] {
  if (network === null) return words;
  return forwarded({ node: "node", socket: proxySocket, ports: network.ports }, words);
}
