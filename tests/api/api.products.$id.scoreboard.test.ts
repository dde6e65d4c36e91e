import { describe, expect, it } from "vitest";
import { reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { type Counted, clearlyBest, toRow, wilson } from "~/nouns/insights/scoreboard";
import { updateProduct } from "~/nouns/products/operations.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
import { openApp } from "../setup/app";
import { at, claim } from "../setup/world";

const { t, app } = await openApp({ pages: true });

/** Nine tasks of one agent, of which two were returned once, and one of another; a tenth is not begun. */
async function scene() {
  const world = await t.seedSprint({ strategy: "SPRINT", stories: [11] });
  const { actor, product, start } = world;
  await updateProduct(actor, { product_id: product.id, done_requires: "none" });
  await start();
  for (let n = 0; n < 12; n++) {
    const { id: job_id, attempt } = await claim(actor);
    const agent = n === 11 ? "codex" : "claude";
    await t.query`update job_attempts set agent = ${agent},
      started_at = started_at - interval '10 minutes' where job_id = ${job_id}`;
    const done = { status: "done", verify_result: "ALIGNED", model_id: agent === "claude" ? "opus" : "gpt" } as const;
    await reportAgentJob(actor, { job_id, attempt, ...done });
    if (n === 1 || n === 4) await reviewJob(actor, { job_id, verdict: "request_changes", summary: "Again" });
  }
  return world;
}

it("The scoreboard says how often each agent was right at once, and nothing of too few tasks", async () => {
  const { owner, product, tasks } = await scene();
  const path = `/api/products/${product.id}/scoreboard`;
  const answer = await app.request(path, { headers: await t.bearerOf(owner) });
  expect(answer.status).toBe(200);
  const { rows } = await answer.json();
  const enough = { too_few: false, first_pass: 0.778, interval: wilson(7, 9), rounds: 1, cost: null, minutes: 10 };
  const few = { too_few: true, first_pass: null, interval: null, rounds: null, cost: null, minutes: null };
  expect(rows).toEqual([
    { agent: "claude", model: "opus", label: null, finished: 9, ...enough },
    { agent: "codex", model: "gpt", label: null, finished: 1, ...few },
  ]);
  const session = { cookie: await app.signIn(owner) };
  const page = await (await app.request(`/insights/agents?product=${product.id}`, { headers: session })).text();
  expect(page).toContain("78 % (45 to 94 %)");
  expect(page).toContain("too few");
  const task = await (await app.request(`/tasks/${at(tasks, 10).id}`, { headers: session })).text();
  expect(task).not.toContain("right at once");
});

describe("the advice", () => {
  const counted = (agent: string, passed: number, finished: number, label: string | null = null): Counted => {
    return { agent, model: null, label, finished, passed, rounds: 1, cost: 1, minutes: 1 };
  };

  it("Advice is given where an interval lies above all others, by label first, and from eight tasks on", () => {
    const rows = [
      counted("a", 40, 40),
      counted("b", 20, 40),
      counted("a", 10, 40, "ui"),
      counted("b", 39, 40, "ui"),
      counted("c", 7, 7, "ui"),
    ].map(toRow);
    expect(clearlyBest(rows, [])?.agent).toBe("a");
    expect(clearlyBest(rows, ["ui"])?.agent).toBe("b");
    expect(clearlyBest(rows, ["none"])?.agent).toBe("a");
    expect(clearlyBest([counted("a", 20, 40), counted("b", 24, 40)].map(toRow), [])).toBeNull();
    expect(clearlyBest([counted("a", 7, 7), counted("b", 0, 7)].map(toRow), [])).toBeNull();
    expect(clearlyBest([counted("a", 40, 40)].map(toRow), [])).toBeNull();
  });

  it("Advice is wrong in at most 5 % of 1,000 histories of agents that are equally or nearly as good", () => {
    let seed = 11;
    const chance = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed / 2_147_483_648;
    };
    let [given, wrong, tooEarly] = [0, 0, 0];
    for (let history = 0; history < 1_000; history++) {
      const skills = Array.from({ length: 3 }, () => 0.5 + (history % 3) * 0.15 * chance());
      const rows = skills.map((skill, n) => {
        const finished = 1 + Math.floor(chance() * 60);
        const passed = Array.from({ length: finished }, chance).filter((drawn) => drawn < skill).length;
        return toRow(counted(`agent-${n}`, passed, finished));
      });
      const best = clearlyBest(rows, []);
      if (best === null) continue;
      given += 1;
      const skill = skills[Number(best.agent?.at(-1))] ?? 0;
      if (skills.some((other) => other > skill) || history % 3 === 0) wrong += 1;
      if (best.finished < 8) tooEarly += 1;
    }
    process.stdout.write(`Advice in 1,000 histories: given ${given} times, wrong ${wrong} times\n`);
    expect(wrong).toBeLessThanOrEqual(50);
    expect(tooEarly).toBe(0);
  });
});
