import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { at } from "../setup/world";
import { gitIn, makeRepository, openStage, type RunOptions, startRun } from "./fixture";
import { sandboxProblem } from "./sandbox-scene";

const { t, ada, home, serveOnce } = await openStage();

/** A repository with files of several kinds, and a job whose agent is the script. */
async function openCase(code: string, files: Record<string, string> = {}, wish: Partial<RunOptions> = {}) {
  const repo = join(home, code);
  const git = makeRepository(repo);
  const all = { "shared.txt": "old\n", ".gitignore": "cached/\n", ...files };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(repo, name), text);
  git("add", ".");
  git("commit", "-qm", "Files");
  const run = await startRun(t, ada, { code, ...wish });
  const work = async (script: string, ...words: string[]) => {
    const file = join(home, `${code}.sh`);
    writeFileSync(file, script);
    const said = await serveOnce(code, ["--repo", repo, "--exec", `sh ${file}`, ...words]);
    const { id } = at((await run.read()).jobs, 0);
    const job = await getAgentJob(t.actorOf(ada), { job_id: id });
    const read = (name: string) => git("show", `${job.branch}:${name}`);
    return { job, said, read };
  };
  return { repo, git, work };
}

/** Edits a file to the same length, and lets git's index say that it has looked at it since. */
const forge = `echo new > shared.txt; node -e '
  const { createHash } = require("crypto"), { readFileSync, writeFileSync, lstatSync } = require("fs");
  const file = process.argv[1], index = readFileSync(file), { ctimeMs, mtimeMs, dev, ino } = lstatSync("shared.txt");
  const at = index.indexOf("shared.txt") - 62, seconds = (ms) => Math.floor(ms / 1000);
  const { ctimeNs, mtimeNs } = lstatSync("shared.txt", { bigint: true });
  const numbers = [seconds(ctimeMs), Number(ctimeNs % 1000000000n), seconds(mtimeMs), Number(mtimeNs % 1000000000n), dev, ino];
  numbers.forEach((number, place) => index.writeUInt32BE(number % 2 ** 32, at + place * 4));
  const body = index.subarray(0, -20);
  setTimeout(() => writeFileSync(file, Buffer.concat([body, createHash("sha1").update(body).digest()])), 1100);
' "$(git rev-parse --absolute-git-dir)/index"`;

const places = ["off", ...(sandboxProblem === null ? ["bwrap"] : [])];

const hidings = {
  ASSUME: "git update-index --assume-unchanged shared.txt; echo new > shared.txt",
  SKIP: "git update-index --skip-worktree shared.txt; echo new > shared.txt",
  FORGED: forge,
};
const overlooked = "Git was told to overlook, and taken all the same (shared.txt)";
const ways = places.flatMap((place) => Object.entries(hidings).map(([way, script]) => ({ way, script, place })));
it.each(ways)("A tested file hidden from git is delivered: $way, --sandbox $place", async ({ way, script, place }) => {
  const { work } = await openCase(`${way}${place.toUpperCase()}`);
  const test = ["--test", "grep -q new shared.txt"];
  const { job, said, read } = await work(script, ...test, "--sandbox", place);
  expect(job, said).toMatchObject({ status: "done", verify_result: "ALIGNED" });
  expect(read("shared.txt")).toBe("new");
  if (way !== "FORGED") expect(said).toContain(overlooked);
});

const hidden = ways.filter(({ place }) => place === places.at(-1));
it.each(hidden)("A file hidden from git is kept on failure: $way, --sandbox $place", async ({ way, script, place }) => {
  const { git, work } = await openCase(`KEPT${way}`);
  const { job, said } = await work(`${script}; exit 1`, "--sandbox", place);
  expect(job, said).toMatchObject({ failure_class: "agent_error" });
  const [, branch = ""] = /(backloom\/kept\/[\w-]+)/.exec(job.failure_reason ?? "") ?? [];
  expect(git("show", `${branch}:shared.txt`)).toBe("new");
  if (way !== "FORGED") expect(said).toContain(overlooked);
});

it.each(hidden)(
  "A hidden file is named where it is thrown away before a plan is approved: $way, --sandbox $place",
  async ({ way, script, place }) => {
    const product = { plan_review: "person" as const };
    const { work } = await openCase(`PLAN${way}`, {}, { product, task: { implementation_plan: "" } });
    const plan = `${script}; echo '{"implementation_plan":"1. Do it"}' > "$BACKLOOM_RESULT_FILE"`;
    const { said } = await work(plan, "--sandbox", place);
    expect(said).toMatch(/Thrown away: .*shared\.txt/);
  },
);

it("A file that .git/info/exclude hid is delivered, and the line is gone from the person's clone", async () => {
  const { repo, work } = await openCase("EXCLUDE");
  const exclude = join(repo, ".git/info/exclude");
  const script = 'echo hidden.txt >> "$(git rev-parse --git-path info/exclude)"; echo x > hidden.txt';
  const { job, said, read } = await work(script, "--test", "test -f hidden.txt");
  expect(job, said).toMatchObject({ status: "done", verify_result: "ALIGNED" });
  expect(read("hidden.txt")).toBe("x");
  expect(readFileSync(exclude, "utf8")).not.toContain("hidden.txt");
});

it("Tests run without files that only the agent's own rules ignore", async () => {
  const { work } = await openCase("IGNORED");
  const script =
    "echo 'hidden*' >> .gitignore; echo x > hidden.txt; mkdir cached hidden; echo x > hidden/a; echo x > cached/b";
  const { job, said } = await work(script, "--test", "ls; test -f cached/b && ! test -e hidden && test -f hidden.txt");
  expect(job, said).toMatchObject({ failure_class: "verification_failed" });
  expect(said).toContain("In no commit, and set aside for the tests (hidden.txt, hidden/)");
});

it("Tests run without what the agent installed where the repository's rules set it up", async () => {
  const setup = "setup: mkdir -p cached && echo made > cached/made\n";
  const script = "echo hidden > cached/made; echo new > shared.txt";
  const { work } = await openCase("SETUP", { ".backloom.yml": setup });
  const { job, said } = await work(script, "--test", "grep -q made cached/made && grep -q new shared.txt");
  expect(job, said).toMatchObject({ status: "done", verify_result: "ALIGNED" });
  expect(job.evidence).toMatchObject({ checkout: "clean" });
  const inPlace = await openCase("PLACE", { ".backloom.yml": setup });
  const test = ["--proof-in-place", "--test", "grep -q hidden cached/made"];
  const { job: other, said: words } = await inPlace.work(script, ...test);
  expect(other, words).toMatchObject({ status: "done", verify_result: "ALIGNED" });
  expect(other.evidence).toMatchObject({ checkout: "in_place" });
});

it("Work is refused where the setup fails on a clean checkout of it", async () => {
  const setup = "setup: test ! -e broken\n";
  const { work } = await openCase("BROKEN", { ".backloom.yml": setup });
  const { job, said } = await work("echo x > broken", "--test", "true");
  expect(job, said).toMatchObject({
    failure_class: "verification_failed",
    failure_reason: expect.stringMatching(
      /^On a clean checkout of [0-9a-f]{8}: The setup of .backloom.yml ended with 1/,
    ),
  });
});

it("A tested file is delivered where git replace is to show another one in its place", async () => {
  const { work } = await openCase("REPLACE");
  const script = `git replace "$(git rev-parse HEAD:shared.txt)" "$(echo new | git hash-object -w --stdin)"
rm shared.txt; git checkout -q -- shared.txt; echo x > more.txt`;
  const { job, said, read } = await work(script, "--test", "grep -q new shared.txt");
  expect(job, said).toMatchObject({ status: "done", verify_result: "ALIGNED" });
  expect(read("shared.txt")).toBe("new");
});

it("Work is delivered as it was tested, even if the test commits", async () => {
  const commit = "git -c user.name=A -c user.email=a@example.com commit -qm Late";
  const late = `grep -q old shared.txt && echo late > shared.txt && git add . && ${commit}`;
  const { work, git } = await openCase("LATE");
  const hidden = "mkdir -p .backloom; echo x > .backloom/hidden; echo x > x.txt";
  const { job, said, read } = await work(hidden, "--test", `! test -e .backloom && ${late}`);
  expect(job, said).toMatchObject({ status: "done", verify_result: "ALIGNED" });
  expect(read("shared.txt")).toBe("old");
  expect(job.head_sha).toBe(git("rev-parse", String(job.branch)));
  const setup = { ".backloom.yml": "setup: 'true'\n" };
  const clean = await openCase("LATER", setup);
  const move = `${late} && git update-ref "$(git for-each-ref --format='%(refname)' --points-at HEAD~1 'refs/heads/backloom/**' | head -1)" HEAD`;
  const moved = await clean.work("echo x > x.txt", "--test", move);
  expect(moved.job, moved.said).toMatchObject({ status: "done", verify_result: "ALIGNED" });
  expect(moved.read("shared.txt")).toBe("old");
});

it("A criterion that only a hidden file meets is not proven", async () => {
  const wish = { criteria: "- [ ] It is there\n", product: { done_requires: "worker" as const } };
  const { work } = await openCase("PROOF", {}, wish);
  const script = `echo secret.txt >> .gitignore; echo x > secret.txt; node -e '
      const { readFileSync, writeFileSync } = require("fs");
      const { criteria } = JSON.parse(readFileSync(process.env.BACKLOOM_CONTEXT_FILE, "utf8"));
      const evidence = criteria.map(({ id }) => ({ criterion: id, command: "grep -q x secret.txt" }));
      writeFileSync(process.env.BACKLOOM_RESULT_FILE, JSON.stringify({ evidence }));'`;
  const { job, said } = await work(script);
  expect(job, said).not.toMatchObject({ task_status: "done" });
});

const secret = "hunter2-for-the-staging-database";
/** A clone with a remote, whose rules copy a file that main ignores. */
async function openCopied(code: string) {
  const rules = ".env.test\nlocal.json\n";
  const copy = "copy: [.env.test]\nsetup: sed 's/.*=//' .env.test > local.json\n";
  const found = await openCase(code, { ".backloom.yml": copy, ".gitignore": rules });
  writeFileSync(join(found.repo, ".env.test"), `DB_PASSWORD=${secret}\nNODE_ENV=test\n`);
  found.git("init", "--quiet", "--bare", join(home, `${code}.git`));
  found.git("remote", "add", "origin", join(home, `${code}.git`));
  found.git("push", "--quiet", "origin", "main");
  const pushed = gitIn(join(home, `${code}.git`));
  const everything = () => pushed("log", "--all", "--format=%H", "--patch", "--root");
  return { ...found, pushed, everything };
}

it("Delivered work never has what was copied in, by name or content, and no output shows it", async () => {
  const { work, pushed, everything } = await openCopied("COPIED");
  const script = `stat -c %a .env.test > mode; : > .gitignore; cp .env.test prod.env; git add -f .env.test
mkdir conf; echo "password: ${secret}" > conf/db.yml; cat .env.test; echo fine > fine.txt`;
  const { job, said } = await work(script, "--test", "cat .env.test; grep -q test .env.test");
  expect(job, said).toMatchObject({ status: "done" });
  const pushedText = (name: string) => pushed("show", `${job.branch}:${name}`);
  expect(["fine.txt", "mode"].map(pushedText)).toEqual(["fine", "600"]);
  expect(everything()).not.toContain("hunter2");
  const texts = await t.query`select text from job_outputs where job_id = ${job.id}`;
  expect(JSON.stringify([texts, job])).not.toContain("hunter2");
  expect(JSON.stringify(texts)).toContain("•••");
});

it("Work is refused while a commit of the agent has what was copied in, which is pushed nowhere", async () => {
  const { work, everything } = await openCopied("LEAK");
  const commit = "git -c user.name=A -c user.email=a@example.com commit -qm";
  const script = `echo fine > fine.txt; cp local.json deep; git add -f deep .env.test fine.txt; ${commit} Leak; git rm -q --cached .env.test; ${commit} Hidden`;
  const { job, said } = await work(script, "--test", "true");
  expect(job, said).toMatchObject({
    failure_class: "agent_error",
    failure_reason: expect.stringContaining("take .env.test, deep out of all commits"),
  });
  expect(everything()).not.toContain("hunter2");
});
