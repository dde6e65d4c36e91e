import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { getAgentJob, whyNotMoving } from "~/nouns/agent-jobs/operations.server";
import { withoutAlias } from "../../worker/forge/location";
import { git as workersGit } from "../../worker/git/git";
import { findKept } from "../../worker/git/kept-branch";
import { remotesOf } from "../../worker/git/repository";
import { addWorktree, mainOf } from "../../worker/git/worktree";
import { at } from "../setup/world";
import { gitIn, makeRepository, openStage, startRun } from "./fixture";
import { endOf, read } from "./worker-process";

const { t, ada, home, git, serve, serveOnce } = await openStage();

/** A repository and a run of one product; `work` takes its job once and tells of it. */
async function openCase(code: string) {
  const repo = join(home, code);
  const git = makeRepository(repo);
  const run = await startRun(t, ada, { code });
  const work = async (exec: string, ...words: string[]) => {
    const said = await serveOnce(code, ["--repo", repo, "--exec", exec, ...words]);
    const { id } = at((await run.read()).jobs, 0);
    return { job: await getAgentJob(t.actorOf(ada), { job_id: id }), said };
  };
  const branch = String(at((await run.read()).jobs, 0).branch);
  const filesOf = (ref: unknown) => git("ls-tree", "-r", "--name-only", String(ref)).split("\n");
  return { repo, git, work, filesOf, branch };
}

const sides = [
  "export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.com",
  "export GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.com",
  "start=$(git rev-parse HEAD); echo mine > same; git add same; git commit -qm Mine",
  "mine=$(git rev-parse HEAD); git checkout -q --detach $start",
  "echo side > same; git add same; git commit -qm Side; side=$(git rev-parse HEAD)",
  "git checkout -q $(git for-each-ref --points-at $mine --format='%(refname:short)' | head -1)",
].join("\n");

describe("work of an agent in a repository as people have them", { timeout: 240_000 }, () => {
  it("Work is committed although git is set to sign and cannot", async () => {
    const { git, work, filesOf } = await openCase("SIGN");
    git("config", "commit.gpgsign", "true");
    git("config", "user.signingkey", "0xDEADBEEF");
    const { job } = await work("echo x > uncommitted.txt");
    expect(job).toMatchObject({ status: "done" });
    expect(filesOf(job.branch)).toEqual(["uncommitted.txt"]);
  });

  it("Work is committed by a worker that a hook or an alias of another repository started", async () => {
    const { work, filesOf } = await openCase("HOOK");
    makeRepository(join(home, "HOOK-other"));
    const other = join(home, "HOOK-other/.git");
    const left = {
      GIT_DIR: other,
      GIT_WORK_TREE: home,
      GIT_INDEX_FILE: join(other, "index"),
      GIT_OBJECT_DIRECTORY: join(other, "objects"),
      GIT_NAMESPACE: "other",
      GIT_LITERAL_PATHSPECS: "1",
      GIT_SHALLOW_FILE: join(other, "shallow"),
    };
    for (const [name, value] of Object.entries(left)) vi.stubEnv(name, value);
    const { job } = await work("echo x > x").finally(() => vi.unstubAllEnvs());
    expect(job).toMatchObject({ status: "done" });
    expect(filesOf(job.branch)).toEqual(["x"]);
  });

  it("Work is found no matter what `git status` shows the person", async () => {
    const { git, work, filesOf } = await openCase("UNSEEN");
    git("config", "status.showUntrackedFiles", "no");
    const { job } = await work("echo x > x");
    expect(job).toMatchObject({ status: "done" });
    expect(filesOf(job.branch)).toEqual(["x"]);
  });

  it("Work is committed outside the directories of a sparse checkout too, and nothing else changes", async () => {
    const { repo, git, work, filesOf } = await openCase("SPARSE");
    for (const name of ["inside", "outside"]) {
      mkdirSync(join(repo, name));
      writeFileSync(join(repo, name, "old"), "old\n");
    }
    git("add", ".");
    git("commit", "-qm", "Files");
    git("sparse-checkout", "set", "inside");
    const { job } = await work("test ! -e outside; echo x > inside/new; mkdir outside; echo x > outside/new");
    expect(job).toMatchObject({ status: "done" });
    const all = ["inside/new", "inside/old", "outside/new", "outside/old"];
    expect(filesOf(job.branch)).toEqual(all);
  });

  it("Work reaches its branch however the person's git is set to merge, rebase, sign and clean up", async () => {
    const { git, work, filesOf } = await openCase("TASTE");
    git("init", "--quiet", "--bare", join(home, "TASTE.git"));
    git("remote", "add", "origin", join(home, "TASTE.git"));
    git("push", "--quiet", "origin", "main");
    const settings = {
      "merge.ff": "only",
      "rebase.updateRefs": "true",
      "push.gpgSign": "true",
      "commit.cleanup": "strip",
      "core.commentChar": "T",
      "core.autocrlf": "input",
      "core.safecrlf": "true",
      "push.followTags": "true",
    };
    for (const [name, value] of Object.entries(settings)) git("config", name, value);
    git("tag", "--annotate", "private", "-m", "Mine");
    const commit = "git -c user.name=A -c user.email=a@example.com -c commit.cleanup=verbatim commit -qm";
    const { job, said } = await work(
      [
        `echo 1 > one; git add one; ${commit} One; git branch mine`,
        `other=$(${commit.replace("commit -qm", "commit-tree main^{tree} -p main -m")} Other)`,
        `git -c push.gpgSign=false -c push.followTags=false push -q ${join(home, "TASTE.git")} $other:refs/heads/$BACKLOOM_BRANCH`,
        "printf '2\\r\\n' > two",
      ].join("\n"),
      "--sandbox",
      "off",
    );
    expect(job, said).toMatchObject({ status: "done" });
    git("fetch", "--quiet", "origin");
    expect(filesOf(`origin/${job.branch}`)).toEqual(["one", "two"]);
    const subjects = git("log", "--format=%s", `origin/${job.branch}`).split("\n");
    expect(subjects).toEqual([expect.stringMatching(/^T-1: /), "One", "Other", "Begin"]);
    expect(git("rev-parse", "mine^")).toBe(git("rev-parse", "main"));
    expect(git("ls-remote", "--tags", "origin")).toBe("");
  });

  it("Work arrives as files where a program made a repository inside the worktree", async () => {
    const { work, filesOf } = await openCase("NEST");
    const init = "git init -q . && git -c user.name=A -c user.email=a@example.com commit -qm I";
    const { job, said } = await work(
      [
        `(mkdir -p packages/widget/deep && cd packages/widget && echo 1 > index.js && git add . 2>/dev/null; ${init} --allow-empty)`,
        `(cd packages/widget && git add index.js && git -c user.name=A -c user.email=a@example.com commit -qm W)`,
        `(cd packages/widget/deep && echo 2 > deep.js && ${init} --allow-empty)`,
        "(mkdir empty && cd empty && git init -q . && echo 3 > third.js)",
        "git -c user.name=A -c user.email=a@example.com add packages 2>/dev/null; git -c user.name=A -c user.email=a@example.com commit -qm Link || true",
      ].join("\n"),
      "--test",
      "test -f packages/widget/index.js",
    );
    expect(job, said).toMatchObject({ status: "done" });
    expect(filesOf(job.branch)).toEqual(["empty/third.js", "packages/widget/deep/deep.js", "packages/widget/index.js"]);
    expect(said).toContain("Committed as files: repositories inside the worktree");
  });

  it.each([
    ["MERGE", "git merge -q $side"],
    ["PICK", "git cherry-pick $side"],
  ])("Work goes back once when a %s is left half done, and is then kept whole", async (code, begin) => {
    const { git, work, filesOf } = await openCase(code);
    const seen = join(home, `${code}-prompt`);
    const again = `cat "$BACKLOOM_PROMPT_FILE" >> ${seen}; test -f other.txt && exit 0`;
    const { job } = await work(`${again}\n${sides}\n${begin}\necho other > other.txt; true`);
    expect(job).toMatchObject({ status: "failed", failure_class: "agent_error" });
    expect(job.failure_reason).toMatch(/A merge is unfinished: same still in conflict/);
    expect(read(seen)).toContain("A merge is unfinished: same still in conflict");
    expect(() => git("rev-parse", "--verify", String(job.branch))).toThrow();
    const kept = `backloom/kept/${job.id}-1`;
    expect(job.failure_reason).toContain(kept);
    expect(git("log", "--format=%s", kept)).toContain("Mine");
    expect(filesOf(kept)).toEqual(["other.txt", "same"]);
  });

  it("Work is kept whole where the agent left something older checked out", async () => {
    const { git, work, filesOf } = await openCase("ASIDE");
    const { job } = await work(`${sides}\ngit checkout -q $side; echo x > loose.txt; exit 1`);
    const kept = `backloom/kept/${job.id}-1`;
    expect(git("log", "-1", "--format=%s", kept)).toBe("Mine");
    expect(filesOf(`${kept}-aside`)).toEqual(["loose.txt", "same"]);
  });

  it("Work is delivered once the agent has ended its merge in the second turn", async () => {
    const { git, work } = await openCase("ENDED");
    const end = "if test -f other.txt; then echo both > same; git add same; exit 0; fi";
    const { job } = await work(`${end}\n${sides}\ngit merge -q $side\necho other > other.txt; true`);
    expect(job).toMatchObject({ status: "done" });
    expect(git("show", `${job.branch}:same`)).toBe("both");
  });

  it("Work comes without secrets, packages and huge files that no one ignores, and says so", async () => {
    const { work, filesOf } = await openCase("SWEEP");
    const { job, said } = await work(
      "mkdir -p a/node_modules/b; echo k > .env; echo k > a/.env.local; echo k > .env.example; echo x > a/node_modules/b/c; head -c 11000000 /dev/zero > big; echo x > x",
    );
    expect(job).toMatchObject({ status: "done" });
    expect(filesOf(job.branch)).toEqual([".env.example", "x"]);
    const rows = await t.query`select text from job_outputs where job_id = ${job.id}
      and title = 'Left out of the commit'`;
    expect(rows.map(({ text }) => text).join(), said).toBe(
      ".env (may hold secrets)\na/.env.local (may hold secrets)\na/node_modules/\nbig (11 MB)",
    );
  });

  it("Work that cannot be kept stays in its folder, which is named, and is kept as soon as it can be", async () => {
    const { repo, git, work, filesOf } = await openCase("STAYS");
    const [objects, away] = [join(repo, ".git/objects"), join(home, "objects-away")];
    const broken = await work(`echo x > work.txt; mv ${objects} ${away}; exit 1`);
    renameSync(away, objects);
    const folder = join(home, `work/workers/worker-STAYS/worktrees/${broken.job.id}-1`);
    expect(broken.job).toMatchObject({ status: "failed" });
    expect(broken.job.failure_reason).toContain(folder);
    expect(read(join(folder, "work.txt"))).toBe("x\n");

    await startRun(t, ada, { code: "STAYS2" });
    await serveOnce("STAYS2", ["--repo", repo, "--name", "worker-STAYS", "--exec", "true"]);
    expect(filesOf(`backloom/kept/${broken.job.id}-1`)).toEqual(["work.txt"]);
    expect(git("worktree", "list").split("\n")).toHaveLength(1);
  });

  it("Work is kept without a file that git refuses, and that file stays where it is", async () => {
    const { work, filesOf } = await openCase("PATHS");
    const { job } = await work("echo x > x; echo y > git~1; exit 1");
    expect(filesOf(`backloom/kept/${job.id}-1`)).toEqual(["x"]);
    const folder = join(home, `work/workers/worker-PATHS/worktrees/${job.id}-1`);
    expect(job.failure_reason).toContain(folder);
    expect(read(join(folder, "git~1"))).toBe("y\n");
  });
});

it("A failure of git is named by the command that failed", async () => {
  const { repo } = await openCase("NAMED");
  const words = ["-c", "user.name=A", "-C", repo, "merge", "no-such-branch"];
  await expect(workersGit(home, ...words)).rejects.toThrow(/^git merge failed: /);
});

it("The newest kept work is found first, no matter what its commits are dated", async () => {
  const { repo, git } = await openCase("NEWEST");
  const keep = (name: string, date: string) => {
    process.env.GIT_COMMITTER_DATE = date;
    const commit = git("commit-tree", "-p", "main", "-m", name, "main^{tree}");
    Reflect.deleteProperty(process.env, "GIT_COMMITTER_DATE");
    git("update-ref", `refs/heads/backloom/kept/${name}`, commit);
  };
  keep("old-7", "2026-01-09T00:00:00Z");
  keep("own-2", "2026-01-03T00:00:00Z");
  keep("own-10", "2026-01-01T00:00:00Z");
  keep("own-10-2", "2026-01-01T00:00:00Z");
  keep("own-10-aside", "2026-01-08T00:00:00Z");
  const kept = await findKept({ folder: repo, remote: null, base: null }, ["own", "old"]);
  expect(kept.map((name) => name.slice("backloom/kept/".length))).toEqual(
    "own-10-2 own-10 own-2 old-7 own-10-aside".split(" "),
  );
});

describe("the main branch without a remote", { timeout: 240_000 }, () => {
  it("A branch of Backloom that someone checked out for review is not taken for main, and stays where it is", async () => {
    const { git, work, repo } = await openCase("LOOKED");
    const { job } = await work("echo x > x");
    const branch = String(job.branch);
    git("checkout", "--quiet", branch);
    const main = await mainOf({ folder: repo, remote: null, base: null });
    expect(main).toBe(git("rev-parse", "main"));
    const again = { repository: { folder: repo, remote: null, base: null }, parent: home, name: "again" };
    await expect(addWorktree({ ...again, branch })).rejects.toThrow(`${branch} is checked out in`);
  });

  it("A worktree whose making was killed and whose folder is gone holds no branch back", async () => {
    const { git, work, filesOf, branch } = await openCase("HALF");
    const gone = join(home, "half-made");
    git("worktree", "add", "--quiet", "--lock", "--reason", "initializing", "-b", branch, gone);
    rmSync(gone, { recursive: true });
    const { job } = await work("echo x > x");
    expect(job).toMatchObject({ status: "done", branch });
    expect(filesOf(branch)).toEqual(["x"]);
  });

  it("A job waits without a failure while a person has its branch checked out, and says so", async () => {
    const { repo, git, work, branch } = await openCase("HELD");
    git("checkout", "--quiet", "-b", branch);
    const { job, said } = await work("echo x > x");
    const sentence = `The branch ${branch} is checked out in ${repo}: check out another one there`;
    expect(said).toContain(`The job waits: ${sentence}`);
    expect(job).toMatchObject({ status: "queued", failure_class: null, retry_count: 0 });
    expect(Date.parse(String(job.not_before))).toBeGreaterThan(Date.now());
    const { reasons } = await whyNotMoving(t.actorOf(ada), { kind: "job", id: job.id });
    expect(reasons[0]).toMatchObject({
      code: "not_before",
      message: expect.stringMatching(/ there, and the job continues\. It is tried again at .*\.$/),
    });
    expect(reasons[0]?.message).toContain(sentence);
  });

  it.each([
    ["the one that git's setting names", ["branch develop", "config backloom.main develop"], "develop"],
    ["the one that new repositories get", ["branch own", "config init.defaultBranch own"], "own"],
    ["main, with any branch checked out", ["checkout -q -b topic", "commit -q --allow-empty -m T"], "main"],
    ["the only other one", ["branch -m trunk", "checkout -q -b backloom/ST-1"], "trunk"],
  ])("The main branch of a repository without a remote is %s", async (_what, words, name) => {
    const folder = mkdtempSync(join(home, "main-"));
    const git = makeRepository(folder);
    for (const line of words) git(...line.split(" "));
    const main = await mainOf({ folder, remote: null, base: null });
    expect(main).toBe(git("rev-parse", name));
  });
});

it("A main branch that the remote has renamed is followed", async () => {
  const folder = mkdtempSync(join(home, "renamed-"));
  const origin = makeRepository(join(folder, "origin"));
  const git = gitIn(join(folder, "clone"));
  origin("clone", "--quiet", join(folder, "origin"), join(folder, "clone"));
  for (const words of ["branch -m trunk", "branch dev"]) origin(...words.split(" "));
  git("fetch", "--quiet", "--prune");
  expect(await mainOf({ folder: join(folder, "clone"), remote: "origin", base: "origin" })).toBe(
    origin("rev-parse", "trunk"),
  );
});

describe("a repository that git refuses here", { timeout: 120_000 }, () => {
  const startIn = async (repo: string, code: string) => {
    await startRun(t, ada, { code });
    const worker = serve(code, ["--repo", repo, "--name", code, "--exec", "true", "--once"]);
    expect(await worker.ended).toBe(1);
    return worker.output();
  };

  it.runIf(process.getuid?.() === 0)("A repository that git refuses is explained in git's own words", async () => {
    const repo = join(home, "OWNED");
    makeRepository(repo);
    execFileSync("chown", ["-R", "65534", repo]);
    expect(await startIn(repo, "OWNED")).toContain("detected dubious ownership");
  });

  it("A repository that needs Git LFS is reported before a job is taken where the program is missing", async () => {
    const repo = join(home, "LFS");
    const git = makeRepository(repo);
    git("config", "filter.lfs.process", "git-lfs filter-process");
    git("config", "filter.lfs.required", "true");
    mkdirSync(join(repo, "art"));
    writeFileSync(join(repo, "art/.gitattributes"), "*.psd filter=lfs\n");
    git("add", "--all");
    git("commit", "--quiet", "-m", "Large files");
    expect(await startIn(repo, "LFS")).toContain("git-lfs is not installed on this machine");
  });
});

it("The host that an alias of ssh is for is named in the address of a remote", async () => {
  const { git, repo } = await openCase("ALIAS");
  const settings = join(home, "ssh-config");
  writeFileSync(
    settings,
    "Host github-work github.com-two\n HostName github.com\nHost office\n HostName git.corp.example\nHost git.corp.example\n HostName 10.0.0.5\nHost github.com\n HostName ssh.github.com\n",
  );
  git("config", "core.sshCommand", `ssh -F ${settings}`);
  const meant = await Promise.all(
    `git@github-work:acme/shop.git ssh://git@github.com-two/acme/shop.git git@office:acme/shop.git
      git@git.corp.example:acme/shop.git git@github.com:acme/shop.git https://github-work/acme/shop.git`
      .split(/\s+/)
      .map((address) => withoutAlias(repo, address)),
  );
  expect(meant).toEqual(
    `git@github.com:acme/shop.git ssh://git@github.com/acme/shop.git git@git.corp.example:acme/shop.git
    git@git.corp.example:acme/shop.git git@github.com:acme/shop.git https://github-work/acme/shop.git`.split(/\s+/),
  );
});

it("A limit's time may be a number, and a job pauses longer where the time is over", async () => {
  const { work } = await openCase("PAUSE");
  const limit = (resets_at: unknown) =>
    `echo '${JSON.stringify({ failure_class: "rate_limited", resets_at })}' > "$BACKLOOM_RESULT_FILE"`;
  const hour = Math.floor(Date.now() / 1000) + 3_600;
  const first = await work(limit(hour));
  expect(Date.parse(first.job.not_before ?? "")).toBe(hour * 1000);
  for (const [attempt, said] of ["2020-01-01T00:00:00Z", 1_577_836_800_000].entries()) {
    await t.query`update public.agent_jobs set not_before = null`;
    const before = Date.now();
    const { job } = await work(limit(said));
    const pause = Date.parse(job.not_before ?? "") - before;
    expect(pause).toBeGreaterThanOrEqual(2 ** (attempt + 1) * 60_000);
    expect(job).toMatchObject({ status: "queued", retry_count: 0 });
  }
  await t.query`update public.agent_jobs set not_before = null`;
  const { job } = await work(limit("2126-01-01T00:00:00Z"));
  expect(Date.parse(job.not_before ?? "")).toBeLessThan(Date.now() + 31 * 86_400_000);
});

it("A worker with --until-idle ends where only a person is waited for", async () => {
  const code = "IDLE";
  const repo = join(home, code);
  makeRepository(repo);
  await startRun(t, ada, { code, product: { done_requires: "person" } });
  const words = ["--repo", repo, "--exec", "echo x > x", "--until-idle"];
  expect(await endOf(serve(code, words))).toContain("1 waits for a review");
});

describe("a clone of a fork whose main follows the project's repository", { timeout: 120_000 }, () => {
  /** The fork has the first commit only; what was pushed to each of the two. */
  async function openFork(code: string) {
    const theirs = join(home, `${code}-project.git`);
    const fork = join(home, `${code}-fork.git`);
    const seed = join(home, `${code}-seed`);
    const project = makeRepository(seed);
    project("clone", "--quiet", "--bare", seed, fork);
    project("commit", "--quiet", "--allow-empty", "-m", "Newest");
    project("clone", "--quiet", "--bare", seed, theirs);
    const repo = join(home, code);
    project("clone", "--quiet", fork, repo);
    const git = gitIn(repo);
    git("remote", "add", "upstream", theirs);
    git("fetch", "--quiet", "upstream");
    git("branch", "--quiet", "--set-upstream-to=upstream/main", "main");
    const run = await startRun(t, ada, { code });
    const work = async () => {
      const said = await serveOnce(code, ["--repo", repo, "--exec", "echo x > x"]);
      const { id } = at((await run.read()).jobs, 0);
      return { said, branch: String((await getAgentJob(t.actorOf(ada), { job_id: id })).branch) };
    };
    return { git, work, newest: project("rev-parse", "main"), theirs: gitIn(theirs), fork: gitIn(fork) };
  }

  it("Work in a fork begins from the project's newest commit and is pushed to the fork, as the worker says", async () => {
    const { work, newest, theirs, fork } = await openFork("FORK");
    const { said, branch } = await work();
    expect(said).toContain("the main branch of upstream and is pushed to origin");
    expect(fork("rev-parse", `${branch}~1`)).toBe(newest);
    expect(theirs("branch", "--list", branch)).toBe("");
  });

  it("Work in a fork is pushed where git is set to push", async () => {
    const { git, work, newest, theirs, fork } = await openFork("PUSH");
    git("config", "remote.pushDefault", "upstream");
    git("config", "branch.main.remote", "origin");
    const { branch } = await work();
    expect(theirs("rev-parse", `${branch}~1`)).not.toBe(newest);
    expect(fork("branch", "--list", branch)).toBe("");
  });

  it("Work in a fork uses one remote for both where it is named, and a missing remote is named", async () => {
    const { git, work, newest, theirs, fork } = await openFork("ONE");
    git("config", "backloom.remote", "nowhere");
    await expect(remotesOf(join(home, "ONE"))).rejects.toThrow("backloom.remote names nowhere");
    git("config", "backloom.remote", "upstream");
    const { branch } = await work();
    expect(theirs("rev-parse", `${branch}~1`)).toBe(newest);
    expect(fork("branch", "--list", branch)).toBe("");
  });
});

it.each([
  ["ATTR", "mkfifo .gitattributes", /Removed: .*\.gitattributes/],
  ["DEEP", "mkdir -p a/b; echo y > a/b/y; mkfifo a/b/.gitignore", /Removed: .*a\/b\/\.gitignore/],
  ["HIDDEN", "mkdir d; echo y > d/y; git add d; mkfifo d/.gitattributes; chmod 311 d", /Removed: .*d\/\.gitattributes/],
  ["LINK", `mkfifo ${home}/pipe; ln -s ${home}/pipe .gitmodules`, /Removed: .*\.gitmodules/],
  ["INDEX", 'own=$(git rev-parse --git-dir); rm -f "$own/index"; mkfifo "$own/index"', /T-1 is done/],
])("%s: A pipe in a worktree is removed and named before git of the worker waits at it", async (code, make, said) => {
  const run = await startRun(t, ada, { code });
  const output = await serveOnce(code, ["--exec", `echo x > x; ${make}`]);
  const [job] = (await run.read()).jobs;
  expect(job?.status, output).toBe("done");
  expect(git("show", `${job?.branch}:x`)).toBe("x");
  expect(output).toMatch(said);
  const rows = await t.query`select title from job_outputs where job_id = ${job?.id}`;
  const titles = rows.map(({ title }) => title);
  expect(titles.some((title) => title?.startsWith("Removed:"))).toBe(code !== "INDEX");
  execFileSync("rm", ["-f", join(home, "pipe")]);
});
