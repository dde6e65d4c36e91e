import { beforeAll, expect, it } from "vitest";
import { createWebhook, subscribePush } from "~/nouns/notices/operations.server";
import { askQuestion } from "~/nouns/questions/operations.server";
import { dataApi } from "../../setup/data-api";
import { createTestDatabase } from "../../setup/database";
import { at, claim, type SprintWorld, type TestUser } from "../../setup/world";
import { asUser, outcomeOf } from "../as-user";

const t = await createTestDatabase();
let world: SprintWorld;
let stranger: TestUser;
let demo: TestUser;

const readable = ["sprint_runs", "agent_jobs", "task_executions", "agent_workers", "agent_questions"];
const tables = [...readable, "model_prices", "user_questions", "push_subscriptions", "webhooks", "notices"];
const denied = "42501";

beforeAll(async () => {
  world = await t.seedSprint({ strategy: "SPRINT_BATCH", stories: [1] });
  await world.start();
  await claim(world.actor);
  await askQuestion(world.actor, { story_id: at(world.stories, 0).id, question: "?" });
  await subscribePush(world.actor, { endpoint: "https://p.example.com", p256dh: "k", auth: "a" });
  await createWebhook(world.actor, { product_id: world.product.id, url: "https://example.com" });
  stranger = await t.createUser();
  demo = await t.createUser({ demo: true });
  await t.addMember(world.product.id, demo);
});

it.each(readable)("The table %s is read by members, demo accounts included, and by no one else", async (table) => {
  const count = (caller: TestUser | "anon") =>
    asUser(t, caller, (client) => outcomeOf(client, `select id from public.${table}`));
  expect(await count(world.owner)).toBe(1);
  expect(await count(demo)).toBe(1);
  expect(await count(stranger)).toBe(0);
  expect(await count("anon")).toBe(denied);
});

it.each(tables)("The table %s cannot be written with a user's JWT", async (table) => {
  for (const caller of [world.owner, demo, stranger, "anon"] as const) {
    await asUser(t, caller, async (client) => {
      expect(await outcomeOf(client, `delete from public.${table}`)).toBe(denied);
      const column = table === "model_prices" ? "currency" : "id";
      expect(await outcomeOf(client, `update public.${table} set ${column} = ${column}`)).toBe(denied);
      if (table === "agent_jobs") return;
      expect(await outcomeOf(client, `insert into public.${table} default values`)).toBe(denied);
    });
  }
});

it("A job inserted directly is refused with a hint to start a sprint run", async () => {
  const api = await dataApi(t, world.owner);
  const { error } = await api
    .from("agent_jobs")
    .insert({
      product_id: world.product.id,
      task_id: at(world.tasks, 0).id,
      kind: "TASK_IMPLEMENTATION",
      lane_id: world.product.id,
    });
  expect(error?.message).toContain("Start a sprint run instead");
});

it("The repositories that a worker follows can be read by no user", async () => {
  for (const caller of [world.owner, demo]) {
    await asUser(t, caller, async (client) => {
      expect(await outcomeOf(client, "select also_repos from public.agent_workers")).toBe(denied);
      expect(await outcomeOf(client, "select * from public.agent_workers")).toBe(denied);
      expect(await outcomeOf(client, "select name, confinement from public.agent_workers")).toBe(1);
    });
  }
});

it("The keys of devices, the secrets of webhooks, and the outbox can be read by no user", async () => {
  await asUser(t, world.owner, async (client) => {
    expect(await outcomeOf(client, "select secret from public.webhooks")).toBe(denied);
    expect(await outcomeOf(client, "select url from public.webhooks")).toBe(1);
    expect(await outcomeOf(client, "select auth from public.push_subscriptions")).toBe(denied);
    expect(await outcomeOf(client, "select endpoint from public.push_subscriptions")).toBe(1);
    expect(await outcomeOf(client, "select * from public.notices")).toBe(denied);
  });
  await asUser(t, demo, async (client) => {
    expect(await outcomeOf(client, "select url from public.webhooks")).toBe(0);
    expect(await outcomeOf(client, "select endpoint from public.push_subscriptions")).toBe(0);
  });
});

it.each([
  "sweep()",
  "expire_questions()",
  "cleanup_agent_artifacts()",
  "take_due_notices()",
  "mark_notice(gen_random_uuid(), true)",
])("Only the service may call %s", async (call) => {
  for (const caller of [world.owner, "anon"] as const) {
    await asUser(t, caller, async (client) => {
      expect(await outcomeOf(client, `select operations.${call}`)).toBe(denied);
    });
  }
});
