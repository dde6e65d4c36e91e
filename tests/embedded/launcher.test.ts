import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { projectRoot } from "../../supabase/embedded/project-root";
import { portOf } from "../setup/port-of";

/** Runs the launcher as npm does; what it says is on stderr. */
function launch(mode: string, env: Record<string, string>, folder = projectRoot) {
  const result = spawnSync(process.execPath, [join(folder, "app/cli/launch.mjs"), ...mode.split(" ")], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: "production", ...env },
    timeout: 25_000,
  });
  return { status: result.status, said: result.stderr.trim().split("\n") };
}

const folder = mkdtempSync(join(tmpdir(), "backloom-launch-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("npm start says in one line that the port is taken, and names a free one", async () => {
  const server = createServer();
  const port = await portOf(server);
  const { status, said } = launch("start", { PORT: String(port), DATA_DIR: folder });
  server.close();
  expect(status).toBe(1);
  expect(said).toEqual([expect.stringMatching(`^Port ${port} is taken; .*"PORT=\\d+ npm start"$`)]);
});

it("npm start takes no options and says in one line to set variables", () => {
  expect(launch("start --port 4000", { DATA_DIR: folder })).toEqual({
    status: 1,
    said: ['"start" takes no options; set variables, for example "PORT=4000 npm start"'],
  });
  expect(launch("start --help", { DATA_DIR: folder })).toEqual({ status: 0, said: [""] });
});

it("npm start says in one line that PORT must be a number", () => {
  expect(launch("start", { PORT: "99999", DATA_DIR: folder })).toEqual({
    status: 1,
    said: [expect.stringContaining("PORT must be a number")],
  });
});

it("npm start says in one line that the data folder cannot be made, and to set DATA_DIR", () => {
  writeFileSync(join(folder, "file"), "");
  expect(launch("start", { PORT: "0", DATA_DIR: join(folder, "file/data") })).toEqual({
    status: 1,
    said: [expect.stringContaining("set DATA_DIR to another one")],
  });
});

it("npm start says what to run when npm cannot install", () => {
  const clone = join(folder, "clone");
  mkdirSync(join(clone, "app/cli"), { recursive: true });
  for (const name of ["launch.mjs", "launch"]) {
    cpSync(join(projectRoot, "app/cli", name), join(clone, "app/cli", name), { recursive: true });
  }
  writeFileSync(join(clone, "package.json"), "{ this is no package");
  const { status, said } = launch("start", { PORT: "0", DATA_DIR: folder }, clone);
  expect(status).toBe(1);
  expect(said.at(-1)).toContain('run "npm install" again');
});

it("The launcher says in one line that a command does not exist", () => {
  expect(launch("fly", {})).toEqual({ status: 1, said: [expect.stringContaining('no "fly"')] });
});
