import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeRepository, openStage, startRun } from "./fixture";
import { flags } from "./flags";
import { sandboxProblem } from "./sandbox-scene";
import { endOf, startWorker } from "./worker-process";

describe.skipIf(sandboxProblem !== null)("where a sandbox starts", async () => {
  const { t, app, ada, token, home, repo } = await openStage();
  const start = (code: string, ...words: string[]) =>
    startWorker([
      ...flags({ url: app.origin, token, product: code, name: code, once: true, sandbox: "bwrap" }),
      ...words,
    ]);

  it("A sandbox starts below /var/tmp as well", async () => {
    const folder = mkdtempSync("/var/tmp/backloom-");
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    const git = makeRepository(join(folder, "repo"));
    const run = await startRun(t, ada, { code: "VAR" });
    const place = ["--repo", join(folder, "repo"), "--work-dir", join(folder, "work")];
    const output = await endOf(start("VAR", ...place, "--exec", "echo x > x; touch /var/tmp/y"));
    const [job] = (await run.read()).jobs;
    expect(job?.status, output).toBe("done");
    expect(git("show", `${job?.branch}:x`)).toBe("x");
  });

  it("A sandbox has no one else's worktree where a folder above the work folder is mounted", async () => {
    const run = await startRun(t, ada, { code: "ABOVE" });
    const place = ["--repo", repo, "--work-dir", join(home, "above"), "--mount", home];
    writeFileSync(join(home, "shown"), "shown");
    const others = join(home, "above/workers/other/worktrees");
    mkdirSync(others, { recursive: true });
    writeFileSync(join(others, "x.taken"), "token");
    const script = `cat ${join(home, "shown")} > x; test ! -e ${others}`;
    const output = await endOf(start("ABOVE", ...place, "--exec", script, "--test", "test -s x"));
    const [job] = (await run.read()).jobs;
    expect(job?.status, output).toBe("done");
  });

  it("A sandbox that cannot start is reported before a job is taken", async () => {
    const run = await startRun(t, ada, { code: "START" });
    const place = ["--repo", repo, "--work-dir", join(home, "start")];
    const worker = start("START", ...place, "--exec", "true", "--mount", join(home, "nothing"));
    expect(await worker.ended).not.toBe(0);
    expect(worker.output()).toContain("The sandbox does not start here (bwrap: ");
    expect((await run.read()).jobs).toMatchObject([{ status: "queued", attempt: 0 }]);
  });

  it("A sandbox that cannot start later fails the job for the machine, not for its work", async () => {
    const run = await startRun(t, ada, { code: "LATER" });
    const mounted = join(home, "mounted");
    writeFileSync(mounted, "");
    const place = ["--repo", repo, "--work-dir", join(home, "later"), "--mount", mounted];
    const wait = "touch begun; until test -e go; do sleep 0.1; done";
    const worker = start("LATER", ...place, "--exec", `echo x > x; ${wait}`, "--test", "true");
    const [job] = (await run.read()).jobs;
    const folder = join(home, "later/workers/LATER/worktrees", `${job?.id}-1`);
    await expect.poll(() => existsSync(join(folder, "begun")), { timeout: 60_000 }).toBe(true);
    rmSync(mounted);
    writeFileSync(join(folder, "go"), "");
    await worker.ended;
    const rows = await t.query`select failure_class, failure_reason from agent_jobs where id = ${job?.id}`;
    expect(rows[0]).toMatchObject({ failure_class: "infrastructure" });
    expect(rows[0].failure_reason).toContain("The sandbox did not start: bwrap: ");
  });
});
