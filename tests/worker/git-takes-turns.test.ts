import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { committer, git, gitWithin } from "../../worker/git/git";
import { addWorktree } from "../../worker/git/worktree";
import { freeName } from "../../worker/job/open/leftovers";

const home = await mkdtemp(join(tmpdir(), "backloom-turns-"));
afterAll(() => rm(home, { recursive: true }));

async function makeRepository(name: string): Promise<string> {
  const folder = join(home, name);
  await git(home, "init", "--quiet", "--initial-branch=main", folder);
  await git(folder, ...committer, "commit", "--quiet", "--allow-empty", "-m", "Begin");
  return folder;
}

/** What one git says that does not wait, several times over. */
async function isRefused(folder: string, words: readonly string[], why: string): Promise<void> {
  for (let n = 0; n < 3; n++) {
    expect(await gitWithin(1, folder, words)).toMatchObject({ problem: expect.stringContaining(why) });
  }
}

it("Workers of one repository take turns with its configuration", async () => {
  const folder = await makeRepository("configuration");
  const lock = join(folder, ".git", "config.lock");
  await writeFile(lock, "");
  const set = git(folder, "config", "branch.b.merge", "refs/heads/b");
  const other = ["config", "branch.other.merge", "refs/heads/other"];
  await isRefused(folder, other, "could not lock config file");
  await rm(lock);
  await set;
  expect(await git(folder, "config", "--get", "branch.b.merge")).toBe("refs/heads/b");
});

it("A worker waits until the worktree that another one makes is whole", async () => {
  const folder = await makeRepository("worktrees");
  // As another git leaves it for a moment: the file is there, what it says is not.
  const half = join(folder, ".git", "worktrees", "half");
  await mkdir(half, { recursive: true });
  await writeFile(join(half, "locked"), "initializing");
  await writeFile(join(half, "gitdir"), `${join(home, "half", ".git")}\n`);
  await writeFile(join(half, "HEAD"), `${await git(folder, "rev-parse", "HEAD")}\n`);
  await writeFile(join(half, "commondir"), "");

  const made = git(folder, "worktree", "add", "--quiet", "--detach", join(home, "whole"), "main");
  await isRefused(folder, ["worktree", "list"], "commondir");
  await writeFile(join(half, "commondir"), "../..\n");
  await made;
  expect(await git(join(home, "whole"), "rev-parse", "HEAD")).toBe(await git(folder, "rev-parse", "main"));
});

it("A worktree's name is free again when a kill cut its removal short", async () => {
  const folder = await makeRepository("cut");
  const parent = join(home, "cut-worktrees");
  await mkdir(parent);
  const repository = { folder, remote: null, base: null };
  const worktree = await addWorktree({ repository, parent, name: "job-1", branch: "b/cut" });
  await rename(worktree.folder, `${worktree.folder}.gone`);
  const said: string[] = [];
  const journal = { say: (line: string) => void said.push(line), sayOnce: () => undefined };
  expect(await freeName(parent, "job-1", journal)).toBe("job-1");
  expect([said, await readdir(parent)]).toEqual([[], []]);
  expect((await git(folder, "worktree", "list")).split("\n")).toHaveLength(1);
});

it("Many workers of one repository make and remove their worktrees at once", async () => {
  const origin = await makeRepository("origin");
  const folder = join(home, "clone");
  await git(home, "clone", "--quiet", origin, folder);
  const repository = { folder, remote: "origin", base: "origin" };
  const work = async (worker: number) => {
    for (let n = 0; n < 15; n++) {
      const name = `${worker}-${n}`;
      const worktree = await addWorktree({ repository, parent: home, name, branch: `b/${name}` });
      expect(await git(worktree.folder, "status", "--porcelain")).toBe("");
      await worktree.remove();
    }
  };
  await Promise.all([1, 2, 3, 4].map(work));
  expect((await git(folder, "worktree", "list")).split("\n")).toHaveLength(1);
  expect(await git(folder, "for-each-ref", "refs/heads/b")).toBe("");
  // Some five hundred commands of git, one after another.
}, 240_000);
