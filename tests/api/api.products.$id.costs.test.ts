import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "~/db/rpc.server";
import { reportJobUsage } from "~/nouns/agent-jobs/operations.server";
import { createLabel } from "~/nouns/labels/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
import { cancelSprintRun, startRun } from "~/nouns/sprint-runs/operations.server";
import { updateStory } from "~/nouns/stories/operations.server";
import { setTaskStatus } from "~/nouns/tasks/operations.server";
import { costsAnswerSchema } from "~/wire/insights/contract";
import { connectClient } from "../mcp/clients";
import { openApp } from "../setup/app";
import { at, bearer, claim, finish } from "../setup/world";

const { t, app } = await openApp({ pages: true });

type Agent = "claude" | "codex";
type End = "failed" | "approved" | "cancelled" | "at work";

/** What is tried for a story: who, what it costs, and how it ends. */
type Attempt = readonly [agent: Agent, cost: number, end: End, paid?: "EUR" | "subscription"];

const models = { claude: "opus", codex: "gpt" };
const tokens = { input_tokens: 600, output_tokens: 400, cache_read_tokens: 50_000, cache_write_tokens: 0 };

/** A product in which each story has one task and these attempts, all of them on 10 March 2026. */
async function history(stories: readonly (readonly Attempt[])[], settings: Record<string, unknown> = {}) {
  const world = await t.seedSprint({ strategy: "STORY", stories: stories.map(() => 1) });
  const { actor, product } = world;
  await updateProduct(actor, { product_id: product.id, done_requires: "person", ...settings });
  for (const [n, attempts] of stories.entries()) {
    for (const attempt of attempts) {
      const { run } = await startRun(actor, { story_id: at(world.stories, n).id });
      await work(actor, { ...(await claim(actor)), sprint_run_id: run.id }, attempt);
    }
  }
  await t.query`update job_attempts set started_at = started_at - (now() - timestamptz '2026-03-10T12:00Z'),
    ended_at = ended_at - (now() - timestamptz '2026-03-10T12:00Z') where product_id = ${product.id}`;
  await t.query`update usage_events set created_at = created_at - (now() - timestamptz '2026-03-10T12:00Z')
    where product_id = ${product.id}`;
  await t.query`update job_reviews set created_at = created_at - (now() - timestamptz '2026-03-10T12:00Z')
    where product_id = ${product.id}`;
  await t.query`update task_status_changes set changed_at = changed_at - (now() - timestamptz '2026-03-10T12:00Z')
    where product_id = ${product.id}`;
  return world;
}

async function work(
  actor: Actor,
  job: { id: string; attempt: number; sprint_run_id: string },
  [agent, cost, end, paid]: Attempt,
) {
  const held = { job_id: job.id, attempt: job.attempt };
  await t.query`update job_attempts set agent = ${agent} where job_id = ${job.id} and attempt = ${job.attempt}`;
  const money = paid === "subscription" ? { subscription: true } : { cost, currency: paid ?? "USD" };
  await reportJobUsage(actor, { ...held, events: [{ seq: 1, model_id: models[agent], ...tokens, ...money }] });
  if (end === "at work") return;
  if (end === "failed") {
    await finish(actor, job, { status: "failed", failure_class: "agent_error", failure_reason: "It did not work" });
    return;
  }
  await finish(actor, job, { head_sha: "a".repeat(40) });
  if (end === "cancelled") await cancelSprintRun(actor, { sprint_run_id: job.sprint_run_id });
  if (end === "approved") await reviewJob(actor, { job_id: job.id, verdict: "approve" });
}

type Month = Awaited<ReturnType<typeof history>>;

const march = { from: "2026-03-01", to: "2026-03-31" };

async function costsOf(world: Month, asked: Record<string, string> = march) {
  const path = `/api/products/${world.product.id}/costs?${new URLSearchParams(asked)}`;
  const answer = await app.request(path, { headers: await t.bearerOf(world.owner) });
  expect(answer.status).toBe(200);
  return costsAnswerSchema.parse(await answer.json());
}

/** A row on paper: settled, accepted, cost, share of the cost that was not accepted. */
const paper = (key: string | null, currency: string | null, numbers: readonly (number | null)[]) => {
  const [settled, accepted, cost, not_accepted_share] = numbers;
  return { key, currency, settled, accepted, cost, not_accepted_share };
};

async function label({ actor, product, stories }: Month, story: number, labels: string[]) {
  for (const name of labels) await createLabel(actor, { product_id: product.id, name }).catch(() => null);
  await updateStory(actor, { story_id: at(stories, story).id, labels });
}

describe("a month of twelve stories", () => {
  let world: Month;
  beforeAll(async () => {
    world = await history([
      [["claude", 1, "approved"]],
      [
        ["claude", 2, "failed"],
        ["claude", 3, "approved"],
      ],
      [
        ["claude", 4, "failed"],
        ["codex", 1, "approved"],
      ],
      [["codex", 3, "approved", "EUR"]],
      [["claude", 2, "approved"]],
      [["claude", 1.5, "cancelled"]],
      [["codex", 0.5, "cancelled"]],
      [["claude", 9, "at work"]],
      [["codex", 7, "at work"]],
      [
        ["claude", 1, "failed"],
        ["codex", 1, "cancelled"],
      ],
      [["claude", 0, "approved", "subscription"]],
      [["claude", 2.5, "failed"]],
    ]);
    const { actor, tasks } = world;
    // The fifth is reopened after ten days, the first after twenty: too late to count. The eleventh was approved just now.
    for (const [n, days] of [[4, 10] as const, [0, 20] as const]) {
      await setTaskStatus(actor, { task_id: at(tasks, n).id, status: "todo" });
      await t.query`update task_status_changes set changed_at = timestamptz '2026-03-10T12:00Z' + ${days} * interval '1 day'
        where task_id = ${at(tasks, n).id} and from_status = 'DONE'`;
    }
    await t.query`update job_reviews set created_at = now() where job_id in (
      select id from agent_jobs where task_id = ${at(tasks, 10).id})`;
  });

  it("Failed attempts, cancelled and undone work are in the cost, and rows add up to the total", async () => {
    const { rows, total } = await costsOf(world);
    expect(rows).toMatchObject([
      paper("claude", "USD", [5, 2, 17, 0.4118]),
      paper("claude", null, [1, 1, null, 0]),
      paper("codex", "EUR", [1, 1, 3, 0]),
      paper("codex", "USD", [2, 1, 2.5, 0.6]),
      paper("several", "USD", [1, 0, 0, null]),
    ]);
    expect(rows.map(({ model }) => model)).toEqual(["opus", "opus", "gpt", "gpt", null]);
    expect(total).toMatchObject([
      { currency: "EUR", settled: 1, accepted: 1, cost: 3, not_accepted_share: 0 },
      { currency: "USD", settled: 8, accepted: 3, cost: 19.5, not_accepted_share: 0.4359, rounds: 2 },
      { currency: null, settled: 1, accepted: 1, accepted_so_far: 1, cost: null, tokens: 1000 },
    ]);
    for (const sums of total) {
      const same = rows.filter(({ currency }) => currency === sums.currency);
      for (const name of ["settled", "accepted", "cost", "tokens"] as const) {
        expect(same.reduce((all, row) => all + (row[name] ?? 0), 0)).toBe(sums[name] ?? 0);
      }
    }
  });

  it("Below eight accepted changes nothing is said of one", async () => {
    const { rows, total } = await costsOf(world);
    for (const row of [...rows, ...total]) {
      expect(row).toMatchObject({ too_few: true, per_accepted: null, median: null, low: null, high: null });
    }
  });

  it("A story with two labels is in the row several, and a month is that of the first attempt", async () => {
    await label(world, 0, ["ui"]);
    await label(world, 1, ["api", "ui"]);
    const { rows } = await costsOf(world, { ...march, by: "label" });
    expect(rows.filter(({ currency }) => currency === "USD")).toMatchObject([
      paper("ui", "USD", [1, 1, 1, 0]),
      paper("several", "USD", [1, 1, 5, 0]),
      paper(null, "USD", [6, 1, 13.5, 0.6296]),
    ]);
    expect((await costsOf(world, { ...march, by: "month" })).rows.map(({ key }) => key)).toEqual(
      Array(3).fill("2026-03"),
    );
    expect((await costsOf(world, { from: "2026-04-01", to: "2026-04-30" })).rows).toEqual([]);
    expect((await costsOf(world, { from: "2026-03-10", to: "2026-03-10" })).rows).toHaveLength(5);
  });

  it("REST, CSV, MCP and Insights give the same numbers", async () => {
    const { product, owner } = world;
    const answer = await costsOf(world);
    const token = await t.createToken(owner);
    const client = await connectClient(app, token, "2026-07-28", "/mcp/all");
    const called = await client.call("get_costs", { product_id: product.id, ...march });
    await client.close();
    expect(called.result).toEqual(answer);
    const path = `/api/products/${product.id}/costs?${new URLSearchParams(march)}`;
    const file = await app.request(path, { headers: { ...bearer(token), accept: "text/csv" } });
    expect(file.headers.get("content-type")).toContain("text/csv");
    const [head = "", ...lines] = (await file.text()).trimEnd().split("\r\n");
    const columns = head.split(",");
    const cellsOf = (line: string) => line.split(",").map((cell) => cell.replaceAll('"', ""));
    const total = answer.total.map((sums) => ({ ...sums, key: "total", model: null }));
    expect(lines.map(cellsOf)).toEqual(
      [...answer.rows, ...total].map((row) => columns.map((column) => String(Object(row)[column] ?? ""))),
    );
    const asked = new URLSearchParams({ product: product.id, ...march });
    const page = await app.request(`/insights?${asked}`, { headers: { cookie: await app.signIn(owner) } });
    const text = (await page.text()).replaceAll("<!-- -->", "");
    for (const shown of "$19.50 | 44 % | $17.00 | 41 % | €3.00 | 1K tokens | 1 so far | too few (3) | several".split(
      " | ",
    )) {
      expect(text).toContain(shown);
    }
  });

  it("Costs are for all readers of the product, viewers too, and refuse days in the wrong order", async () => {
    const { product } = world;
    const path = `/api/products/${product.id}/costs`;
    const viewer = await t.createMember(product.id, { viewer: true });
    expect((await app.request(path, { headers: await t.bearerOf(viewer) })).status).toBe(200);
    expect((await app.request(path, { headers: await t.bearerOf(await t.createUser()) })).status).toBe(403);
    const wrong = await app.request(`${path}?from=2026-03-02&to=2026-03-01`, { headers: await t.bearerOf(viewer) });
    expect(wrong.status).toBe(422);
  });
});

describe("the traps", () => {
  const eight = [1, 2, 3, 4, 5, 6, 7, 8].map((cost): Attempt[] => [["claude", cost, "approved"]]);

  it("From eight accepted changes on, a change costs the sum of all work over them, beside the middle of single ones", async () => {
    const world = await history([...eight, [["claude", 4, "failed"]]]);
    expect((await costsOf(world)).total).toMatchObject([
      { settled: 9, accepted: 8, cost: 40, per_accepted: 5, median: 4.5, low: 2.4, high: 6.6, not_accepted_share: 0.1 },
    ]);
  });

  it("Work that was approved and has not landed where the product lands is not accepted", async () => {
    const world = await history([[["claude", 1, "approved"]], [["claude", 3, "approved"]]], { landing: "queue" });
    await t.query`update agent_jobs set merged_at = now() where task_id = ${at(world.tasks, 0).id}`;
    expect((await costsOf(world)).total).toMatchObject([
      { settled: 2, accepted: 1, accepted_so_far: 1, cost: 4, not_accepted_share: 0.75 },
    ]);
  });

  it("A change that main reverts within 14 days is not accepted, nor one that a person squashed", async () => {
    const world = await history([[["claude", 1, "approved"]]]);
    const { product, owner, stories, tasks } = world;
    const sent = async (at: string, change: Record<string, unknown>) => {
      const changes = [{ sha: "b".repeat(40), at, paths: ["a.ts"], ...change }];
      const head_sha = randomBytes(20).toString("hex");
      const index = { repository: "https://example.com/ledger", head_sha, changes };
      const path = `/api/products/${product.id}/change-index`;
      expect((await app.send("PUT", path, index, await t.bearerOf(owner))).status).toBe(204);
      return (await costsOf(world)).total;
    };
    const revert = { title: "Revert it", reverts: "a".repeat(12) };
    const undone = [{ settled: 1, accepted: 0, not_accepted_share: 1 }];
    expect(await sent("2026-04-02T12:00:00Z", revert)).toMatchObject([{ settled: 1, accepted: 1 }]);
    expect(await sent("2026-03-20T12:00:00Z", revert)).toMatchObject(undone);
    await t.query`update agent_jobs set created_at = '2026-03-10' where product_id = ${product.id}`;
    await t.query`insert into job_diffs (job_id, attempt, product_id, base_sha, head_sha, additions, deletions, bytes, files)
      select id, attempt, product_id, '', '', 1, 0, 1, '[{"path":"a.ts"}]' from agent_jobs where product_id = ${product.id}`;
    const squashed = (title: string, paths = ["a.ts"]) => sent("2026-03-20T12:00:00Z", { title, paths });
    for (const name of [`${at(stories, 0).code}: Do it (#4)`, `${at(tasks, 0).title} (#4)`]) {
      expect(await squashed(`Revert "${name}" (#5)`)).toMatchObject(undone);
      expect(await squashed(`Revert "${name}"`, ["b.ts"])).toMatchObject([{ accepted: 1 }]);
      expect(await squashed(`Revert "Revert "${name}""`)).toMatchObject([{ accepted: 1 }]);
    }
  });

  it("A story in pieces counts once, and only when all of it is approved", async () => {
    const world = await history([[["claude", 1, "approved"]], [["claude", 2, "approved"]]]);
    const [one, two] = [at(world.stories, 0), at(world.tasks, 1)];
    await t.query`update tasks set story_id = ${one.id} where id = ${two.id}`;
    expect((await costsOf(world)).total).toMatchObject([{ settled: 1, accepted: 1, cost: 3 }]);
    await t.query`delete from job_reviews where job_id in (select id from agent_jobs where task_id = ${two.id})`;
    expect((await costsOf(world)).total).toMatchObject([{ settled: 1, accepted: 0, cost: 3, not_accepted_share: 1 }]);
  });

  it("A deleted story's cost stays in the total, as does that of a deleted job", async () => {
    const world = await history([[["claude", 1, "approved"]], [["claude", 2, "approved"]], [["claude", 4, "failed"]]]);
    await t.query`delete from stories where id = ${at(world.stories, 1).id}`;
    await t.query`delete from agent_jobs where task_id = ${at(world.tasks, 2).id}`;
    expect((await costsOf(world)).total).toMatchObject([
      { settled: 2, accepted: 1, cost: 7, not_accepted_share: 0.8571 },
    ]);
  });

  it("More than a tenth of estimated usage marks the sum", async () => {
    const world = await history([[["claude", 1, "approved"]], [["claude", 1, "approved"]]]);
    expect((await costsOf(world)).total).toMatchObject([{ estimated: false }]);
    await t.query`update usage_events set estimated = true where task_id = ${at(world.tasks, 0).id}`;
    expect((await costsOf(world)).total).toMatchObject([{ estimated: true, cost: 2, settled: 2 }]);
  });

  it("A spreadsheet runs no label", async () => {
    const world = await history([[["claude", 1, "approved"]]]);
    await label(world, 0, ["=1+1"]);
    const file = await app.request(`/api/products/${world.product.id}/costs?by=label&from=2026-03-01&to=2026-03-31`, {
      headers: { ...(await t.bearerOf(world.owner)), accept: "text/csv" },
    });
    expect(await file.text()).toContain('"\'=1+1"');
  });
});
