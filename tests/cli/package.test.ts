import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { findFreePort } from "../../supabase/embedded/postgres/free-port";
import { projectRoot } from "../../supabase/embedded/project-root";

const run = promisify(execFile);
const place = await mkdtemp(join(tmpdir(), "backloom-package-"));
afterAll(() => rm(place, { recursive: true, force: true }));

const packed = z
  .array(z.object({ filename: z.string(), size: z.number(), files: z.array(z.object({ path: z.string() })) }))
  .transform(([first]) => first);
const lockSchema = z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) });

const { stdout } = await run("npm", ["pack", "--json", `--pack-destination=${place}`], { cwd: projectRoot });
const tarball = packed.parse(JSON.parse(stdout));
const files = tarball?.files.map(({ path }) => path) ?? [];

/** A folder in which the package is installed: unpacked, next to links to what npm would have fetched. */
async function install(): Promise<string> {
  const folder = join(place, "anywhere");
  const installed = join(folder, "node_modules/backloom");
  await mkdir(installed, { recursive: true });
  await run("tar", ["xzf", join(place, tarball?.filename ?? ""), "-C", installed, "--strip-components=1"]);
  const { packages } = lockSchema.parse(JSON.parse(await readFile(join(projectRoot, "package-lock.json"), "utf8")));
  for (const [path, { dev }] of Object.entries(packages)) {
    if (dev || !/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path)) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await symlink(join(projectRoot, path), join(folder, path));
  }
  return folder;
}

const folder = await install();
const command = join(folder, "node_modules/backloom/app/cli/launch.mjs");
const environment = { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: "production" } as const;

it("The npm package has programs, pages and SQL, and nothing that only developers need", () => {
  const documents = readdirSync(join(projectRoot, "docs")).map((name) => `docs/${name}`);
  const skills = readdirSync(join(projectRoot, "skills")).map((name) => `skills/${name}`);
  const folders = new Set(files.map((file) => file.split("/").slice(0, 2).join("/")));
  expect([...folders].filter((name) => name !== basename(name)).sort()).toEqual(
    [
      "app/cli",
      "build/package",
      "build/pages",
      "deploy/Caddyfile",
      "deploy/backloom.service",
      "deploy/nginx.conf",
      ...documents,
      ...skills,
      "supabase/embedded",
      "supabase/migrations",
      "supabase/schemas",
    ].sort(),
  );
  expect(files.filter((file) => /\.(tsx?|map|test\..*)$/.test(file))).toEqual([]);
  expect(tarball?.size).toBeLessThan(5_000_000);
});

it("The npm package has the patched router built in, because npm ignores a package's overrides", async () => {
  const programs = files.filter((file) => /^build\/package\/.*\.js$/.test(file));
  const texts = await Promise.all(
    programs.map((file) => readFile(join(folder, "node_modules/backloom", file), "utf8")),
  );
  const imported = texts.filter((text) => /(?:from|import)\s*\(?"(?:@remix-run|react-router)/.test(text));
  expect(imported).toEqual([]);
  expect(texts.join("\n")).toContain("@remix-run/router v1.23.4");
});

it("The installed package starts in an empty folder, and keeps its data there", { tags: "thorough" }, async () => {
  const port = await findFreePort();
  const service = spawn(command, ["start"], {
    cwd: folder,
    env: { ...environment, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(service, "exit");
  try {
    let said = "";
    for await (const chunk of service.stdout) {
      said += String(chunk);
      if (said.includes("/agent-context")) break;
    }
    const origin = `http://localhost:${port}`;
    const page = await (await fetch(`${origin}/login`)).text();
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? /(\/assets\/[^"]+\.js)/.exec(page)?.[1];
    expect((await fetch(`${origin}${script}`)).status).toBe(200);
    const token = /blm_[\w-]+/.exec(said)?.[0];
    const products = await fetch(`${origin}/api/products`, { headers: { authorization: `Bearer ${token}` } });
    expect(await products.json()).toMatchObject([{ code: "SAMPLE" }]);
    // Next to the running service, over the same data.
    const doctor = await run(command, ["doctor"], { cwd: folder, env: environment });
    expect(doctor.stdout).toContain(`embedded, data in ${join(folder, ".data")}`);
    expect(doctor.stdout).not.toContain("FAIL");
  } finally {
    service.kill("SIGTERM");
  }
  expect(await ended).toEqual([0, null]);
});

it("The command says on Windows that it needs WSL, before a script of another shell is run", async () => {
  const windows = 'Object.defineProperty(process,"platform",{value:"win32"})';
  const words = ["--import", `data:text/javascript,${windows}`, command, "start"];
  await expect(run(process.execPath, words, { env: environment })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("install WSL"),
  });
  const { scripts } = JSON.parse(await readFile(join(projectRoot, "package.json"), "utf8"));
  expect(scripts.start).toMatch(/^node app\/cli\/launch\/platform\.mjs && exec /);
});

it("The installed command includes the worker, and lists what it can do", async () => {
  const worker = await run(command, ["worker", "--help"], { cwd: folder, env: environment });
  expect(worker.stdout).toContain("--exec");
  const { stdout: usage } = await run(command, [], { cwd: folder, env: environment });
  for (const word of ["start", "worker", "admin", "doctor"]) {
    expect(usage).toContain(`backloom ${word}`);
  }
  const dev = run(command, ["dev"], { cwd: folder, env: environment });
  await expect(dev).rejects.toMatchObject({
    stderr: 'There is no "dev"; use one of start, worker, admin, doctor, backup, restore, skills\n',
  });
});

it("The installed command reads backloom.env and leaves the .env of a folder alone", async () => {
  await writeFile(join(folder, ".env"), "PORT=nonsense\n");
  await writeFile(join(folder, "backloom.env"), "PORT=99999\n");
  const start = run(command, ["start"], { cwd: folder, env: environment });
  await expect(start).rejects.toMatchObject({ stderr: expect.stringContaining('try "PORT=3001 backloom start"') });
});
