import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { editTask } from "~/nouns/tasks/operations.server";
import { at } from "../setup/world";
import { openAlteredService } from "./altered-service";
import { gitIn, makeRepository, openStage, startRun } from "./fixture";
import { endOf, read, startWorker } from "./worker-process";

const { t, app, ada, token, home, repo, git } = await openStage();
const mallory = await t.createUser({ username: "mallory" });
const port = Number(new URL(app.origin).port);

/** Whatever git asks of another machine is here, by address. */
const asked = join(home, "asked");
const ssh = join(home, "ssh.sh");
writeFileSync(ssh, `#!/bin/sh\necho "$2" >> ${asked}\nexec sh -c "$2"\n`, { mode: 0o755 });

/** A repository whose own words would run a program wherever it is worked on. */
const owned = join(home, "owned");
const evil = join(home, "theirs", "evil.git");
const draft = join(home, "theirs", "draft");
const gitOfDraft = makeRepository(draft);
writeFileSync(join(draft, ".backloom.yml"), `setup: touch ${owned}\n`);
gitOfDraft("add", "--all");
gitOfDraft("commit", "--quiet", "-m", "Mine");
git("clone", "--quiet", "--bare", draft, evil);
const evilAddress = `git@localhost:${evil}`;

function start(name: string, words: string[], url = app.origin) {
  const common = ["--url", url, "--work-dir", join(home, name), "--name", name];
  return startWorker([...common, "--heartbeat", "0.3", "--exec", "echo x > x", ...words], {
    BACKLOOM_TOKEN: token,
    GIT_SSH_COMMAND: ssh,
    GIT_SSH_VARIANT: "simple",
  });
}

/** A run of Ada's whose task a member has sent to another repository, before it began or since. */
async function startElsewhere(code: string, repo_url = evilAddress) {
  const run = await startRun(t, ada, { code });
  await t.addMember(run.productId, mallory);
  const job = async () => getAgentJob(t.actorOf(ada), { job_id: at((await run.read()).jobs, 0).id });
  await editTask(t.actorOf(mallory), { task_id: String((await job()).task_id), repo_url });
  return { ...run, job };
}

/** A service that takes the worker for one that follows everything, as an old or a hostile one does. */
const careless = (address: string) =>
  openAlteredService(port, {
    changeRequest: (tool, given) => (tool === "wait_for_job" ? { ...given, also_repos: [address] } : given),
  });

const clonesOf = (name: string) => readdirSync(join(home, name, "repositories"));

it.each([
  ["OWN", []],
  ["NEAR", ["--also-repo", `git@localhost:${home}/their`]],
  ["CLIMB", ["--also-repo", `git@localhost:${home}/ours/`]],
])("%s: A repository that only a task names is not fetched or run, and its job is put back", async (code, words) => {
  const address = code === "CLIMB" ? `git@localhost:${home}/ours/../theirs/evil.git` : evilAddress;
  const run = await startElsewhere(code, address);
  const worker = start(code, ["--product", code, "--repo", repo, "--once", ...words], await careless(address));
  expect(await worker.ended, worker.output()).toBe(0);
  const job = await run.job();
  expect(job).toMatchObject({ status: "queued", retry_count: 0 });
  expect(worker.output()).toContain(`start the worker with --also-repo ${address}`);
  expect([read(asked), read(owned), clonesOf(code)]).toEqual(["", "", []]);
});

it("A task's own repository is no folder of this machine, no matter what was named", async () => {
  const run = await startElsewhere("FOLDER", `file://${evil}`);
  const words = ["--product", "FOLDER", "--repo", repo, "--once"];
  const output = await endOf(start("FOLDER", words, await careless(`file://${evil}`)));
  expect(output).toContain("is not an https, ssh or git@ URL");
  expect(await run.job()).toMatchObject({ status: "queued", retry_count: 0 });
  expect([read(owned), clonesOf("FOLDER")]).toEqual(["", []]);
});

it("A repository that only a task names is not looked into while the worker is idle", async () => {
  await startRun(t, ada, { code: "IDLE" });
  const head = { job_id: "00000000-0000-4000-8000-000000000000", branch: "backloom/x" };
  const awaited = { ...head, task_code: "T-9", head_sha: "a".repeat(40), repo_url: evilAddress };
  const url = await openAlteredService(port, {
    changeAnswer: (tool, answer) =>
      tool !== "wait_for_job"
        ? answer
        : {
            ...answer,
            job: null,
            reason: { code: "dependency", message: "It waits", awaited_heads: [{ ...awaited, product_repo_url: "" }] },
          },
  });
  const worker = start("IDLE", ["--product", "IDLE", "--repo", repo], url);
  await worker.said(/does not allow the repository/);
  await worker.end("SIGTERM");
  expect([read(asked), clonesOf("IDLE")]).toEqual(["", []]);
});

it.each([
  ["EXACT", evilAddress],
  ["PREFIX", `git@localhost:${home}/theirs/`],
])("%s: A task's own repository is worked on where the person at the machine has named it", async (code, named) => {
  const run = await startElsewhere(code);
  const words = ["--product", code, "--repo", repo, "--also-repo", named, "--once"];
  const output = await endOf(start(code, words));
  const job = await run.job();
  expect(job.status, output).toBe("done");
  expect(gitIn(evil)("rev-parse", String(job.branch))).toBe(job.head_sha);
  expect(() => git("rev-parse", "--verify", String(job.branch))).toThrow();
});

it("A repository for --also-repo has to be named as an address", async () => {
  for (const word of ["/src/shop", "--upload-pack=x", "ext::sh", "https://", "git@-oX=y:z/"]) {
    const worker = start("NONSENSE", ["--product", "IDLE", `--also-repo=${word}`]);
    expect(await worker.ended).toBe(1);
    expect(worker.output()).toContain("also-repo");
    expect(worker.output()).not.toContain("    at ");
  }
});
