import { expect, it } from "vitest";
import { claimAgentJob, heartbeatAgentJob, reportAgentJob, reportJobUsage } from "~/nouns/agent-jobs/operations.server";
import { getBudgets, setBudgetSettings } from "~/nouns/budgets/operations.server";
import { createTestDatabase } from "../setup/database";
import { drawFrom } from "../setup/drawn-numbers";
import { at } from "../setup/world";

const t = await createTestDatabase();
const rounds = Number(process.env.RACE_ROUNDS ?? 3);
const limit = 5;
const mostInOneBeat = 0.2;
const mostOfOneTask = 1.8 + mostInOneBeat;

it(`Eight workers spend at most one heartbeat of one task above a budget, in each of ${rounds} rounds`, {
  timeout: 60_000 * rounds,
}, async () => {
  const overshoots: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const world = await t.seedSprint({ strategy: "STORY", stories: Array(24).fill(1) });
    const { actor, product, start } = world;
    await setBudgetSettings(actor, { product_id: product.id, expected_cost: 0.7 });
    const stop_at = { unit: "USD", amount: limit };
    const run = await start({ stop_at });
    const roll = drawFrom(round);

    /** Works on jobs, and beats each time that its agent has used something, until there is no more budget. */
    const work = async (worker: string): Promise<void> => {
      for (let refused = 0; refused < 3; ) {
        const { job, reason } = await claimAgentJob(actor, { worker });
        if (job === null) {
          if (reason?.code === "paused") return;
          refused += 1;
          continue;
        }
        const held = { job_id: job.id, attempt: job.attempt };
        const needs = 0.3 + roll() * 1.5;
        let cost = 0;
        let action = "continue";
        while (cost < needs && action !== "stop") {
          cost += 0.05 + roll() * (mostInOneBeat - 0.05);
          const usage = { models: [{ model_id: "m", cost, currency: "USD" }] };
          ({ action } = await heartbeatAgentJob(actor, { ...held, usage }));
        }
        await reportJobUsage(actor, { ...held, events: [{ seq: 1, model_id: "m", cost }] });
        if (action === "stop") continue;
        await reportAgentJob(actor, { ...held, status: "done", verify_result: "ALIGNED" });
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, n) => work(`w-${n}`)));

    const query = { product_id: product.id, sprint_run_id: run.id };
    const budget = at((await getBudgets(actor, query)).budgets, 0);
    const rows = await t.query`select coalesce(sum(cost), 0)::float as spent
        from public.usage_events where sprint_run_id = ${run.id}`;
    expect(budget.spent).toBeCloseTo(rows[0].spent);
    // No more is left than what the forecast of the next task may be.
    expect(budget.spent).toBeGreaterThan(limit - mostOfOneTask);
    overshoots.push(budget.spent - limit);
    expect(budget.spent).toBeLessThanOrEqual(limit + mostInOneBeat);
  }
  const told = overshoots.map((each) => each.toFixed(3)).join(", ");
  console.log(`beyond ${limit} USD, of at most ${mostInOneBeat} a heartbeat: ${told}`);
});
