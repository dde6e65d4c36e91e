import { mkdtemp, realpath, rm } from "node:fs/promises";
import { request } from "node:http";
import { connect, createServer, isIP, type LookupFunction, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import type { WantedPreview } from "~/wire/previews/contract";
import { learnSecret } from "../base/options";
import { endPreview } from "../base/orphans";
import { messageOf } from "../base/problems";
import { type Confine, type RunningProcess, startProcess } from "../base/process";
import { sendable } from "../base/sendable";
import { git } from "../git/git";
import { type PreviewSettings, readPreview } from "../git/preview-settings";
import { fetchAll, tipOf } from "../git/remote";
import { openRepositoryOf, type Repository } from "../git/repository";
import { copyAlong } from "../git/rules";
import { addTreeAt, baseEnd, mainOf } from "../git/worktree";
import { changedScript, portVariables, runCommand, setupVariables } from "../job/commands";
import { type LandingTools, openFor } from "../landing/run-tests";
import { readAgreed } from "../setup/agree";
import { canListen, takePorts } from "./port-block";

/** A preview on its way or running. `end` leaves nothing behind. */
export interface RunningPreview {
  settings: PreviewSettings;
  repository: Repository;
  connect(): Socket;
  port: number;
  /** Resolved with why it is over, once its program ends by itself. */
  over: Promise<string>;
  end(): Promise<void>;
}

interface Start extends LandingTools {
  wanted: WantedPreview;
  signal: AbortSignal;
  say(line: string): void;
}

/** The time that a program gets to end after SIGTERM. */
const graceMilliseconds = 5_000;

/** Checks out what was handed in, sets it up, starts the program and waits until it answers. */
export async function runPreview(start: Start): Promise<RunningPreview> {
  const undo: (() => Promise<unknown>)[] = [];
  const end = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step().catch(() => undefined);
  };
  try {
    return { ...(await begin(start, (step) => undo.push(step))), end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function begin(
  start: Start,
  later: (step: () => Promise<unknown>) => void,
): Promise<Omit<RunningPreview, "end">> {
  const { wanted, options, folder: work, signal, say, sandboxes } = start;
  const repository = await openRepositoryOf(wanted, options, work);
  await fetchAll(repository);
  const name = `${wanted.id}-1${baseEnd}`;
  const commit = wanted.head_sha;
  const tree = await addTreeAt({ repository, parent: work.worktrees, name, commit });
  later(tree.remove);
  const { folder } = tree;
  const main = await mainOf(repository);
  const base = await git(folder, "merge-base", commit, main).catch(() => main);
  const isConfined = sandboxes.confinement !== "none";
  const { rules } = await readAgreed(folder, base, { options, repository: repository.folder, isConfined });
  const settings = await readPreview(folder, base, rules);
  if (settings === "none") throw new Error("The repository wants no previews (`preview: none` in .backloom.yml)");
  if (settings === "unset") {
    throw new Error(
      "The main branch does not say how to start it: add `preview:` to .backloom.yml, or .claude/launch.json",
    );
  }
  if (settings.isOthers && !isConfined && !options.trustsSetup) {
    throw new Error("Without a sandbox, .claude/launch.json starts nothing here: start the worker with --trust-setup");
  }
  for (const value of await copyAlong({ folder, repository }, rules)) learnSecret(options, value);
  const isInside = sandboxes.confinement === "bwrap";
  const { port, reach, entry } = isInside
    ? await wayInside(settings.port, later)
    : await wayOutside(settings, options.workDir, later);
  const environment = {
    ...rules.env,
    ...settings.environment,
    ...portVariables(port, isInside ? rules.ports : []),
    BACKLOOM_WORKTREE: folder,
    BACKLOOM_BRANCH: wanted.branch ?? "",
    BACKLOOM_JOB: wanted.job_id,
    BACKLOOM_PREVIEW: wanted.id,
    BACKLOOM_PREVIEW_URL: wanted.origin,
  };
  const { may_reach, product } = wanted;
  const sandbox = await openFor(start, { id: wanted.id, folder, main, rules, repository, product, may_reach, entry });
  later(sandbox.close);
  const logFile = join(work.logs, `preview-${wanted.id}.log`);
  const origin = rules.origins.setup;
  if (rules.setup !== undefined && (await changedScript(folder, origin)) === null) {
    say(`Setting up: ${origin?.shown ?? rules.setup}`);
    const { timeoutMinutes } = options;
    const place = { folder, rules, repository, branch: wanted.branch ?? "" };
    const variables = await setupVariables(wanted.id, place, origin);
    const run = { command: rules.setup, folder, sandbox, logFile, timeoutMinutes, signal, clean: start.clean };
    const done = await runCommand({ ...run, environment: { ...variables, ...environment } });
    signal.throwIfAborted();
    for (const line of done.output.split("\n").slice(-10)) say(line);
    if (done.exitCode !== 0 && origin === undefined)
      throw new Error(`The setup ended with ${done.exitCode ?? "a signal"}`);
  }
  const at = await realpath(settings.folder).catch(() => "");
  if (!`${at}${sep}`.startsWith(`${await realpath(folder)}${sep}`)) {
    throw new Error("The folder of the preview is not in the repository");
  }
  say(`Starting: ${settings.run}`);
  const readLines = linesOf((line) => say(start.clean(line)));
  const program = await startProcess({
    program: "/bin/sh",
    args: ["-c", `cd "$0" && ${settings.run}`, at],
    folder,
    environment: { ...sandbox.variables(), ...environment },
    confine: guarded(sandbox.confine, entry?.folder),
    logFile,
    graceMilliseconds,
    onOutput: readLines,
    onComplaint: readLines,
  });
  later(() => endProgram(program, wanted.id));
  const over = program.ended.then(
    ({ code, signal: name }) => `It ended with ${name ?? code}`,
    (error: unknown) => messageOf(error),
  );
  await untilReady({ settings, port, reach, over, signal, named: readLines.port });
  if (settings.fixedPort !== undefined) later(await listenHere(settings.fixedPort, reach));
  return { settings, repository, connect: reach, port, over };
}

interface Way {
  port: number;
  reach(): Socket;
  /** Where the sandbox makes its socket. */
  entry?: { folder: string; port: number };
}

/** The loopback of a sandbox is its own, so each preview may have the same port, and no one else on this machine gets in. */
async function wayInside(port: number, later: (step: () => Promise<unknown>) => void): Promise<Way> {
  // A short path: a socket's may have 107 bytes.
  const folder = await mkdtemp(join(tmpdir(), "backloom-"));
  later(() => rm(folder, { recursive: true, force: true }));
  return { port, entry: { folder, port }, reach: () => connect(join(folder, "in")) };
}

async function wayOutside(
  { port: wanted, isPortFixed }: PreviewSettings,
  workDir: string,
  later: (step: () => Promise<unknown>) => void,
): Promise<Way> {
  if (isPortFixed) {
    const isFree = (await canListen(wanted, "127.0.0.1")) && (await canListen(wanted, "::1"));
    if (!isFree)
      throw new Error(`Port ${wanted} is in use on the worker's machine, and the application takes no other`);
    return { port: wanted, reach: () => connectHere(wanted) };
  }
  const { port, release } = await takePorts(workDir);
  later(release);
  return { port, reach: () => connectHere(port) };
}

/** Development servers listen on one of the two loopbacks, and `localhost` need not name both. */
function connectHere(port: number): Socket {
  const both = ["127.0.0.1", "::1"].map((address) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_name, _options, found) => found(null, both);
  return connect({ port, host: "localhost", autoSelectFamily: true, lookup });
}

/** Ends the program's whole group, and removes the socket of its sandbox. A killed worker's pipe ends, too. */
const guard = `exec 4<&0 </dev/null
( ( trap "" TERM INT HUP; cat <&4; rm -rf -- "$1"; kill -KILL 0 ) >/dev/null 2>&1 & )
exec 4<&-; shift; exec "$@"`;

function guarded(confine: Confine | undefined, folder: string | undefined): Confine {
  return async (launch) => {
    const inner = confine === undefined ? launch : await confine(launch);
    const args = ["-c", guard, "preview", folder ?? "", inner.program, ...inner.args];
    return { ...inner, program: "/bin/sh", args };
  };
}

async function endProgram(program: RunningProcess, id: string): Promise<void> {
  await program.stop();
  program.stdin.destroy();
  await endPreview(id);
}

/** A browser on this machine comes by the port that a sign-in with another service names. */
async function listenHere(port: number, reach: () => Socket): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((here) => {
    const there = reach();
    for (const [one, other] of [
      [here, there],
      [there, here],
    ] as const) {
      sockets.add(one);
      one.on("error", () => undefined);
      one.once("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", () =>
      reject(new Error(`Port ${port} of the worker's machine, the preview's fixed_port, is in use`)),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
  return async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
}

interface Awaited {
  settings: PreviewSettings;
  port: number;
  reach(): Socket;
  over: Promise<string>;
  signal: AbortSignal;
  /** The port that the program itself has named. */
  named(): number | undefined;
}

/** A bound port may still be loading: ready is what answers without a server error. */
async function untilReady({ settings, port, reach, over, signal, named }: Awaited): Promise<void> {
  const until = performance.now() + settings.readySeconds * 1_000;
  let ended: string | undefined;
  void over.then((why) => {
    ended = why;
  });
  for (let pause = 250; ; pause = Math.min(2_000, pause * 1.5)) {
    signal.throwIfAborted();
    if (ended !== undefined) throw new Error(ended);
    const milliseconds = Math.max(2_000, Math.min(15_000, until - performance.now()));
    const status = await statusOf(reach, port, settings.ready, milliseconds);
    if (status !== null && status < 500) return;
    if (performance.now() > until) {
      const other = named();
      const why =
        other !== undefined && other !== port
          ? `ready on ${other}, but PORT was ${port}: the command ignores PORT`
          : status === null
            ? `nothing answers on port ${port}`
            : `${settings.ready} answers ${status}`;
      throw new Error(`Not ready after ${settings.readySeconds} seconds: ${why}`);
    }
    await Promise.race([wait(pause, undefined, { signal }).catch(() => undefined), over]);
  }
}

function statusOf(reach: () => Socket, port: number, path: string, milliseconds: number): Promise<number | null> {
  return new Promise((resolve) => {
    const headers = { host: `localhost:${port}`, accept: "text/html", connection: "close" };
    const asked = request({ createConnection: reach, path, headers }, (answer) => {
      resolve(answer.statusCode ?? null);
      asked.destroy();
    });
    asked.setTimeout(milliseconds, () => asked.destroy());
    asked.once("error", () => resolve(null));
    asked.once("close", () => resolve(null));
    asked.end();
  });
}

/** Cuts output into lines as a person reads them, and notes the address on this machine that they name. */
function linesOf(take: (line: string) => void) {
  let rest = "";
  let port: number | undefined;
  const read = (piece: Buffer): void => {
    const lines = `${rest}${piece.toString("utf8")}`.split(/\r?\n/);
    rest = (lines.pop() ?? "").slice(-2_000);
    for (const given of lines) {
      const line = sendable(stripVTControlCharacters(given).trimEnd(), 500);
      const [, named] = /https?:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):(\d{2,5})/.exec(line) ?? [];
      port ??= named === undefined ? undefined : Number(named);
      if (line !== "") take(line);
    }
  };
  return Object.assign(read, { port: () => port });
}

/** The commit of the branch as it is now; undefined if that is unknown. */
export async function branchNow(repository: Repository, branch: string | null): Promise<string | undefined> {
  if (branch === null) return undefined;
  await fetchAll(repository);
  return (await tipOf(repository, branch)) ?? undefined;
}
