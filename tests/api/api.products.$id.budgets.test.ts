import { expect, it } from "vitest";
import { type BudgetList, budgetListSchema, budgetSchema } from "~/wire/budgets/contract";
import { openApp } from "../setup/app";
import { claim } from "../setup/world";

const { t, app } = await openApp();

/** `/api/products/:id/budgets`, `…/budgets/:budgetId` (api.products.$id.budgets.$budgetId) and `…/budget-settings` (api.products.$id.budget-settings). */
async function scene() {
  const world = await t.seedSprint({ stories: [1] });
  const base = `/api/products/${world.product.id}`;
  const cookie = await app.signIn(world.owner);
  const token = await t.bearerOf(world.owner);
  const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    app.send(method, `${base}${path}`, body, headers ?? { cookie });
  const list = async (query = "", headers = token): Promise<BudgetList> =>
    budgetListSchema.parse(await (await send("GET", `/budgets${query}`, undefined, headers)).json());
  return { ...world, send, list, token };
}

const week = { scope: "product", period: "week", unit: "USD", amount: 20 };

it("There is one budget for each scope, period and unit, and setting it again changes it", async () => {
  const { send, list } = await scene();
  const first = budgetSchema.parse(await (await send("PUT", "/budgets", week)).json());
  expect(first).toMatchObject({ amount: 20, spent: 0, left: 20, state: "open", scope: "product" });
  const again = await send("PUT", "/budgets", { ...week, amount: 30 });
  expect(await again.json()).toMatchObject({ id: first.id, amount: 30 });
  await send("PUT", "/budgets", { ...week, unit: "tokens", amount: 1_000_000 });
  expect((await list()).budgets.map(({ unit }) => unit).sort()).toEqual(["USD", "tokens"]);
  expect(await list()).toMatchObject({ may_set: false, settings: { time_zone: "UTC" } });
});

it("Tokens and members set no budgets, strangers read none, and invalid ones are refused", async () => {
  const { send, token, product, sprint } = await scene();
  const refused = await send("PUT", "/budgets", week, token);
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ error: expect.stringContaining("Only people can set budgets") });
  const member = await t.createMember(product.id);
  expect((await send("PUT", "/budgets", week, { cookie: await app.signIn(member) })).status).toBe(403);
  const stranger = await app.signIn(await t.createUser());
  expect((await send("GET", "/budgets", undefined, { cookie: stranger })).status).toBe(403);
  for (const body of [
    { ...week, amount: 0 },
    { ...week, unit: "usd" },
    { scope: "product", unit: "USD", amount: 1 },
    { scope: "sprint", unit: "USD", amount: 1 },
    { scope: "sprint", period: "day", target_id: sprint.id, unit: "USD", amount: 1 },
    { scope: "run", target_id: sprint.id, unit: "USD", amount: 1 },
  ]) {
    expect((await send("PUT", "/budgets", body)).status, JSON.stringify(body)).toBe(422);
  }
});

it("A run shows the budgets that it falls under, and what is reserved of each", async () => {
  const { send, list, actor, sprint, start } = await scene();
  await send("PUT", "/budgets", week);
  await send("PUT", "/budgets", { scope: "sprint", target_id: sprint.id, unit: "USD", amount: 9 });
  const run = await start({ stop_at: { unit: "USD", amount: 5 } });
  await claim(actor);
  const { budgets } = await list(`?sprint_run_id=${run.id}`);
  expect(budgets).toMatchObject([
    { scope: "run", amount: 5, reserved: 1, at_work: 1 },
    { scope: "sprint", amount: 9, reserved: 1 },
    { scope: "product", period: "week", amount: 20, reserved: 1 },
  ]);
});

it("Deleting a budget works for its owner, even a second time, and never for a token", async () => {
  const { send, list, token } = await scene();
  const { id } = budgetSchema.parse(await (await send("PUT", "/budgets", week)).json());
  expect((await send("DELETE", `/budgets/${id}`, undefined, token)).status).toBe(403);
  expect((await send("DELETE", `/budgets/${id}`)).status).toBe(204);
  expect((await send("DELETE", `/budgets/${id}`)).status).toBe(204);
  expect((await list()).budgets).toEqual([]);
  expect((await send("DELETE", "/budgets/nothing")).status).toBe(404);
});

it("A change of budget settings leaves those that it does not name as they are", async () => {
  const { send, list, token } = await scene();
  const changed = await send("PATCH", "/budget-settings", { time_zone: "America/Lima" });
  expect(await changed.json()).toMatchObject({ time_zone: "America/Lima", unreported: "allow" });
  await send("PATCH", "/budget-settings", { unreported: "refuse" });
  expect((await list()).settings).toMatchObject({ time_zone: "America/Lima", unreported: "refuse" });
  expect((await send("PATCH", "/budget-settings", { time_zone: "Mars/Base" })).status).toBe(422);
  expect((await send("PATCH", "/budget-settings", { unreported: "allow" }, token)).status).toBe(403);
});

it("A forecast is for tokens with access to the product, and knows no sprint of another product", async () => {
  const { send, token, sprint } = await scene();
  const answer = await send("GET", `/forecast?sprint_id=${sprint.id}`, undefined, token);
  expect(await answer.json()).toMatchObject({ tasks: 1, too_few: true, costs: [], estimates: [] });
  const other = await scene();
  const foreign = `/forecast?sprint_id=${other.sprint.id}`;
  expect((await send("GET", foreign, undefined, token)).status).toBe(404);
  expect((await other.send("GET", "/forecast", undefined, token)).status).toBe(403);
});
