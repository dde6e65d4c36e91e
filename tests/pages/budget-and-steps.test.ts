import { expect, it } from "vitest";
import { heartbeatAgentJob } from "~/nouns/agent-jobs/operations.server";
import { getBudgets, setBudget } from "~/nouns/budgets/operations.server";
import { openApp } from "../setup/app";
import { at, claim, wait } from "../setup/world";

const { t, app } = await openApp({ pages: true });

/** What is on a page, without its tags. */
const wordsOf = (html: string) => html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");

it("the owner gives a run a budget on its page, is offered one in another unit next to it, and takes it away", async () => {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1] });
  const { id: sprint_run_id } = await world.start();
  const product_id = world.product.id;
  const path = `/products/${product_id}/runs/${sprint_run_id}`;
  const visitor = await app.visitorOf(world.owner);
  expect(wordsOf(await visitor.read(path))).toContain("Set a budget for this run");

  await visitor.submit(path, "set-budget", { amount: "1.5", unit: "EUR" });
  const one = wordsOf(await visitor.read(path));
  expect(one).toContain("€1.50 for this run");
  expect(one).toContain("Add a budget in another currency or in tokens");
  expect(one).not.toContain("Set a budget for this run");

  const { id } = at((await getBudgets(world.actor, { product_id, sprint_run_id })).budgets, 0);
  await visitor.submit(path, "delete-budget", { budget_id: id });
  expect(wordsOf(await visitor.read(path))).not.toContain("€1.50");
});

it("a budget of a task or sprint is in the settings, where it is taken away", async () => {
  const { actor, product, tasks, sprint, owner } = await t.seedSprint({ stories: [1] });
  const common = { product_id: product.id, unit: "EUR", amount: 1.5 };
  await setBudget(actor, { ...common, scope: "task", target_id: at(tasks, 0).id });
  await setBudget(actor, { ...common, scope: "sprint", target_id: sprint.id });
  const visitor = await app.visitorOf(owner);
  const path = `/products/${product.id}/settings/automation`;
  const shown = wordsOf(await visitor.read(path));
  expect(shown).toContain("€1.50 for task T-1");
  expect(shown).toContain("€1.50 for sprint SP-1");
  for (const { id } of (await getBudgets(actor, { product_id: product.id })).budgets) {
    await visitor.submit(path, "delete-budget", { budget_id: id });
  }
  expect(wordsOf(await visitor.read(path))).not.toContain("€1.50");
});

it("a run shows what can be worked on at once and what waits, and that no tokens were told yet", async () => {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1, 1] });
  const { actor, product, start, owner } = world;
  await wait(actor, at(world.tasks, 2), at(world.tasks, 0));
  const stop_at = { unit: "USD", amount: 1 };
  const run = await start({ stop_at });
  const visitor = await app.visitorOf(owner);
  const read = async () => wordsOf(await visitor.read(`/products/${product.id}/runs/${run.id}`));
  expect(await read()).toContain("Step 1 Queued T-1 Queued T-2 Step 2 Queued T-3 blocked by T-1");

  // Its worker never returns: what it told is known to the budget only.
  const job = await claim(actor);
  const usage = { models: [{ model_id: "m", cost: 2 }] };
  await heartbeatAgentJob(actor, { job_id: job.id, attempt: job.attempt, usage });
  const stopped = await read();
  expect(stopped).toContain("$2.00 spent");
  expect(stopped).toContain("Tokens No data");
});
