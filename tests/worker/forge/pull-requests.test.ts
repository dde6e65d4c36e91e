import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { updateProduct } from "~/nouns/products/operations.server";
import { getProof, waiveCriterion } from "~/nouns/proof/operations.server";
import { forgeKinds } from "../../../worker/base/forge-kinds";
import { tablesWith } from "../../db/tables-with";
import { at } from "../../setup/world";
import { type gitIn, openStage, type RunOptions, startRun } from "../fixture";
import { flags } from "../flags";
import { endOf, read, startWorker } from "../worker-process";
import { type ForgeWorld, openForgeWorlds, tokenOf } from "./world";

const { t, app, ada, actor, token, home } = await openStage();
const forges = await openForgeWorlds(home);

describe.each(forgeKinds)("%s", (kind) => {
  describe("the pull request that --pr alone opens", { timeout: 180_000 }, () => {
    const forge = forges[kind];
    const repo = join(home, `repo-${kind}`);
    const git = forge.clone(repo);
    const rules = (text: string) => {
      commitRules(git, repo, text);
      forge.push(git);
    };

    it("A pull request is opened once, says what the work proves, and is updated by the next task", async () => {
      rules(`forge: ${kind}\nlabels: [agents]\nreviewers: [grace]\n`);
      const run = await begin("ONCE", { tasks: 2, criteria: "- The footer shows the year" });
      const first = await work("ONCE", repo, "--once");
      expect(first).toContain(`Pull request: ${forge.urlOf(1)}`);
      const [pull] = forge.pulls;
      expect(pull).toMatchObject({
        title: "ST-001: A story",
        base: "main",
        isDraft: false,
        labels: ["agents"],
        reviewers: ["grace"],
      });
      expect(pull?.body).toContain("- [ ] The footer shows the year (not proven yet)");
      expect(pull?.body).toContain(`${app.origin}/stories/`);
      // What a person adds stays.
      if (pull) pull.body = `Look at the colors, please.\n\n${pull.body}`;
      await waive(run.productId);

      const { method, path } = writeOf[kind];
      const before = writes(forge).length;
      await work("ONCE", repo, "--once");
      expect(forge.pulls).toHaveLength(1);
      expect(writes(forge).slice(before)).toMatchObject([{ method, path: expect.stringMatching(path) }]);
      expect(pull?.body).toMatch(/^Look at the colors, please\.\n\n/);
      expect(pull?.body).toContain("- [x] The footer shows the year (waived)");
      expect(pull?.body.match(/The footer/g)).toHaveLength(1);
      const { jobs } = await run.read();
      expect(jobs.map((job) => job.pr_url)).toEqual([forge.urlOf(1), forge.urlOf(1)]);
      expect(pull?.branch).toBe(jobs[0]?.branch);
    });

    it("A pull request is a draft until every criterion is proven, where the product says so", async () => {
      const run = await begin("DRAFT", { tasks: 2, criteria: "- It works", product: { pull_requests: "draft" } });
      await work("DRAFT", repo, "--once");
      const pull = forge.pulls.at(-1);
      expect(pull).toMatchObject({ isDraft: true, title: expect.stringContaining("ST-001: A story") });
      await waive(run.productId);
      await work("DRAFT", repo, "--once");
      expect(pull).toMatchObject({ isDraft: false, title: "ST-001: A story" });
    });

    it("A pull request is not opened twice when the Git host's answer is lost, and waits when asked to", async () => {
      const before = forge.pulls.length;
      await begin("LOST", {});
      const path = /(pulls|merge_requests)$/;
      forge.faults.push({ method: "GET", path, status: 503 });
      forge.faults.push({ method: "POST", path, status: 429, headers: { "retry-after": "1" } });
      forge.faults.push({ method: "POST", path, isLost: true });
      await work("LOST", repo, "--once");
      expect(forge.faults).toEqual([]);
      expect(forge.pulls).toHaveLength(before + 1);
      expect(
        at(await t.query`select pr_url from agent_jobs where pr_url = ${forge.urlOf(before + 1)}`, 0),
      ).toBeTruthy();
    });

    it("Work is done without a pull request where the Git host refuses it", async () => {
      const run = await begin("REFUSED", {});
      forge.faults.push({ method: "POST", path: /(pulls|merge_requests)$/, status: 403 });
      await work("REFUSED", repo, "--once");
      const [job] = (await run.read()).jobs;
      expect(job).toMatchObject({ status: "done", pr_url: null });
      const rows = await t.query`select summary from agent_jobs where id = ${job?.id}`;
      expect(rows[0].summary).toMatch(/No pull request was opened: \w+ answered 403 \(Not now\)/);
    });

    it("A pull request is not opened where the product wants none", async () => {
      const run = await begin("NONE", { product: { pull_requests: "none" } });
      const before = writes(forge).length;
      await work("NONE", repo, "--once");
      expect((await run.read()).jobs).toMatchObject([{ status: "done", pr_url: null }]);
      expect(writes(forge)).toHaveLength(before);
    });

    it("The login that opens pull requests is shown to no one", async () => {
      await begin("LOGIN", {});
      const seen = join(home, `seen-${kind}`);
      const said = await work("LOGIN", repo, "--once", "--exec", `env > ${seen}; echo ${forge.token}; echo x > login`);
      expect(read(seen)).toContain("BACKLOOM_JOB_ID");
      // Without the variable git's own credential helper has it.
      await begin("HELPER", {});
      const before = forge.pulls.length;
      const helped = await workWith({}, "HELPER", repo, "--once", "--exec", `echo ${forge.token}; echo x > helper`);
      expect(forge.pulls).toHaveLength(before + 1);
      // A host that says it back, as one does that quotes what it was sent.
      const run = await begin("ECHO", {});
      const path = /(pulls|merge_requests)$/;
      forge.faults.push({ method: "POST", path, status: 403, message: `No: ${forge.token}` });
      const echoed = await work("ECHO", repo, "--once");
      const rows = await t.query`select summary from agent_jobs where product_id = ${run.productId}`;
      expect(at(rows, 0).summary).toContain("answered 403 (No: ");
      expect(said + helped + echoed + read(seen)).not.toContain(forge.token);
      expect(await tablesWith(t, [forge.token])).toEqual([]);
      expect(app.logLines.join("\n")).not.toContain(forge.token);
      // What the worker keeps on its machine, but for the output of the commands that printed it here.
      const kept = filesWith(join(home, `work-${kind}`), forge.token);
      expect(kept.filter((file) => !file.endsWith(".log"))).toEqual([]);
      expect(kept).toHaveLength(2);
    });
  });

  const begin = (code: string, { product, ...wish }: Omit<RunOptions, "code">) =>
    startRun(t, ada, {
      strategy: "STORY",
      code: `${code}-${kind}`,
      ...wish,
      product: { pull_requests: "open", ...product },
    });

  const work = (code: string, repo: string, ...words: string[]) =>
    workWith({ BACKLOOM_FORGE_TOKEN: tokenOf(kind) }, code, repo, ...words);

  async function workWith(
    environment: Record<string, string>,
    code: string,
    repo: string,
    ...words: string[]
  ): Promise<string> {
    const exec = words.includes("--exec") ? [] : ["--exec", `echo x >> ${code}.txt`];
    const worker = startWorker(
      [
        ...flags({ url: app.origin, token, "work-dir": join(home, `work-${kind}`), repo }),
        ...flags({ name: `worker-${kind}`, product: `${code}-${kind}` }),
        ...exec,
        ...words,
        ...flags({ sandbox: "off", pr: true }),
      ],
      environment,
    );
    return endOf(worker);
  }
});

function filesWith(folder: string, text: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  expect(files.length).toBeGreaterThan(0);
  return files
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => read(file).includes(text));
}

/** What the repository itself says, on its main branch. */
function commitRules(git: ReturnType<typeof gitIn>, repo: string, text: string): void {
  writeFileSync(join(repo, ".backloom.yml"), text);
  git("add", ".backloom.yml");
  git("commit", "--quiet", "-m", "Rules");
}

const writeOf = {
  github: { method: "PATCH", path: /\/pulls\/1$/ },
  gitlab: { method: "PUT", path: /\/merge_requests\/1$/ },
  forgejo: { method: "PATCH", path: /\/pulls\/1$/ },
};

const writes = (forge: ForgeWorld) => forge.requests.filter(({ method }) => method !== "GET");

/** Says that the only criterion of a product need not be proven. */
async function waive(productId: string): Promise<void> {
  const rows = await t.query`select id from stories where product_id = ${productId}`;
  const story_id = String(at(rows, 0).id);
  const { criteria } = await getProof(actor, { story_id });
  await waiveCriterion(actor, { story_id, criterion: at(criteria, 0).id, reason: "Seen" });
}

it("A product's auto_pr and pull_requests always agree", async () => {
  const { productId } = await startRun(t, ada, { code: "WORDS", product: { auto_pr: true } });
  const set = (change: object) => updateProduct(actor, { product_id: productId, ...change });
  expect(await set({})).toMatchObject({ auto_pr: true, pull_requests: "open" });
  expect(await set({ pull_requests: "draft" })).toMatchObject({ auto_pr: true });
  expect(await set({ auto_pr: true })).toMatchObject({ pull_requests: "draft" });
  expect(await set({ pull_requests: "none" })).toMatchObject({ auto_pr: false });
  expect(await set({ auto_pr: true })).toMatchObject({ pull_requests: "open" });
});
