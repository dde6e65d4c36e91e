import { describe, expect, it } from "vitest";
import { reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { observeIssues } from "~/nouns/intake/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { observePulls } from "~/nouns/pulls/operations.server";
import { startRun } from "~/nouns/sprint-runs/operations.server";
import { acceptStory } from "~/nouns/stories/operations.server";
import { forgeKinds } from "../../../worker/base/forge-kinds";
import { openJournal } from "../../../worker/base/journal";
import { openIssueSync } from "../../../worker/forge/sync-issues";
import { at, claim, create } from "../../setup/world";
import { openStage } from "../fixture";
import { openToolGate } from "../tool-gate";
import { connectBoth, killAt, type Step, startWatcher, writeRules } from "./victim";
import { openForgeWorld } from "./world";

const { t, app, home } = await openStage();
const gate = await openToolGate(app.port);
const head = "a".repeat(40);

const comments = /\/issues\/\d+\/(comments|notes)$/;
const issue = /\/issues\/\d+$/;
/** Every step of a comment, and of the closing after it. */
const steps: [name: string, step: Step, isMerged?: boolean][] = [
  ["has not heard what to write", { service: { tool: "POST issue-notes", when: "after" } }],
  ["reads the issue", { host: { method: "GET", path: issue, when: "before" } }],
  ["looks whether it is there", { host: { method: "GET", path: comments, when: "before" } }],
  ["asks whether it may write", { service: { tool: "PUT issue-notes", when: "before" } }],
  ["hears that it may write", { service: { tool: "PUT issue-notes", when: "after" } }],
  ["writes", { host: { method: "POST", path: comments, when: "before" } }],
  ["has written and not heard so", { host: { method: "POST", path: comments, when: "after" } }],
  ["tells the service", { service: { tool: "PUT issue-notes", when: "before", nth: 2 } }],
  ["has told the service", { service: { tool: "PUT issue-notes", when: "after", nth: 2 } }],
  ["closes", { host: { method: "PATCH", path: issue, when: "before" } }, true],
  ["has closed and not heard so", { host: { method: "PATCH", path: issue, when: "after" } }, true],
  ["tells that it is closed", { service: { tool: "PUT issue-notes", when: "before", nth: 3 } }, true],
];

describe.each(forgeKinds)("an issue at %s whose work is done", async (kind) => {
  const forge = await openForgeWorld(kind, home);
  const repo = writeRules(forge, home);

  /** An accepted item of an issue whose work an agent has done. */
  async function scene(number: number) {
    const label = `label-${number}`;
    const made = { number, label, title: `Issue ${number}`, body: "It breaks", comments: ["Me too"] };
    forge.issues.push(made);
    const owner = await t.createUser();
    const actor = t.actorOf(owner);
    const token = await t.createToken(owner);
    const code = `${kind}-${number}`;
    const product = await t.seedProduct(owner, { p_code: code, p_repo_url: forge.remote });
    const product_id = product.id;
    await updateProduct(actor, { product_id, forge_issue_label: label });
    const url = `${forge.origin}/acme/shop/issues/${number}`;
    const seen = { number, url, state: "open" as const, title: "Issue", author: "someone", body: "" };
    await observeIssues(actor, { product_id, label, issues: [seen] });
    const rows = await t.query`select id from stories where product_id = ${product_id}`;
    const story_id = String(at(rows, 0).id);
    const pbi = await create(actor, "create_pbi", { p_product_id: product_id, p_title: "All" });
    await acceptStory(actor, { story_id, pbi_id: pbi.id });
    const fields = { p_story_id: story_id, p_title: "Do it", p_implementation_plan: "Now" };
    const task = await create(actor, "create_task", fields);
    await startRun(actor, { task_ids: [task.id] });
    const { id: job_id, attempt, branch } = await claim(actor);
    const done = { status: "done" as const, verify_result: "ALIGNED" as const, head_sha: head };
    await reportAgentJob(actor, { job_id, attempt, ...done });
    const opened = { number: 90, url: `${forge.origin}/acme/shop/pulls/90`, branch: branch ?? "", head_sha: head };
    const say = (state: "open" | "merged") => {
      return observePulls(actor, { product_id, pulls: [{ ...opened, state, observed_at: new Date().toISOString() }] });
    };
    /** Two workers that look, as others do when the lease of the dead one is over. */
    const rescue = async () => {
      await t.query`update issue_notes set lease_until = now() where product_id = ${product_id}`;
      const looks = ["one", "two"].map((workerName) => {
        const both = connectBoth(forge, app.origin, token);
        const journal = openJournal(() => undefined);
        const look = openIssueSync({ service: both.service, journal, productId: product_id, workerName });
        return () => look(async () => both.forge);
      });
      await Promise.all(looks.map((look) => look()));
      await Promise.all(looks.map((look) => look()));
    };
    const writes = () =>
      forge.requests.filter(
        ({ method, path, status }) =>
          method !== "GET" && status < 300 && new RegExp(`/issues/${number}(/|$)`).test(path),
      );
    const start = () => startWatcher({ forge, gate, token, home }, { code, repo, name: "victim" });
    return { made, say, rescue, writes, start, story_id };
  }

  it.each(steps)(
    "An issue whose work is done gets one comment and is closed once, though a worker dies that %s",
    async (name, step, isMerged) => {
      const number = 1 + steps.findIndex(([other]) => other === name);
      const { made, say, rescue, writes, start, story_id } = await scene(number);
      await say(isMerged ? "merged" : "open");
      const put = "host" in step && step.host.method === "PATCH" && kind === "gitlab";
      await killAt({ forge, gate }, put ? { host: { ...step.host, method: "PUT" } } : step, start);
      await rescue();
      const words = () => made.comments.filter((text) => text.includes(story_id));
      expect(words()).toHaveLength(1);
      expect(words()[0]).toMatch(/^Done \(ST-\d+\): http\S+\/pulls\/90\.\n\n<!-- backloom \S+ -->$/);
      await say("merged");
      await rescue();
      expect([made, words().length]).toMatchObject([{ isClosed: true }, 1]);
      await rescue();
      expect(writes().length).toBeLessThanOrEqual(2 + ("host" in step && step.host.when === "after" ? 1 : 0));
      expect(made.comments).toHaveLength(2);
    },
    120_000,
  );

  it("An issue whose comment the Git host refuses gets it at the next look", async () => {
    const { made, say, rescue } = await scene(50);
    await say("open");
    forge.faults.push({ method: "POST", path: comments, status: 403 });
    await rescue();
    expect(made.comments).toEqual(["Me too"]);
    await rescue();
    expect(made.comments).toHaveLength(2);
  }, 120_000);
});
