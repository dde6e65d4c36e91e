import { expect, it } from "vitest";
import { getTaskForecast, saveChangeIndex } from "~/nouns/forecasts/operations.server";
import { sweep } from "~/nouns/schedules/operations.server";
import { editTask } from "~/nouns/tasks/operations.server";
import { openApp } from "../setup/app";
import { at, claim } from "../setup/world";

const { t, app } = await openApp({ pages: true });

async function scene() {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1] });
  const { actor, product, owner } = world;
  const changes = Array.from({ length: 9 }, (_, n) => ({
    sha: String(n).repeat(40),
    at: "2026-01-01T00:00:00Z",
    title: "Say more in login errors",
    paths: ["app/login/form.tsx"],
  }));
  const repository = "https://example.com/ledger";
  await saveChangeIndex(actor, { product_id: product.id, repository, head_sha: "a".repeat(40), changes });
  const [first, second] = [at(world.tasks, 0).id, at(world.tasks, 1).id];
  for (const task_id of [first, second]) await editTask(actor, { task_id, title: "Show login errors" });
  const read = (task_id = first) => getTaskForecast(actor, { task_id });
  const visitor = await app.visitorOf(owner);
  return { world, actor, product, first, second, read, visitor };
}

it("A task's page says what it probably touches, it and the start of a run say who is there, and one press lets it wait", async () => {
  const { world, actor, product, first, second, read, visitor } = await scene();
  await world.start();
  const job = await claim(actor);
  await sweep(t.database);
  const other = job.task_id === second ? first : second;
  const page = await visitor.read(`/tasks/${other}`);
  expect(page).toContain("Probably touches");
  expect(page).toContain("in 9 of 9 similar changes");
  expect(page).toContain("A running task probably touches");
  const code = at((await read(other)).meets, 0).task.code;
  const start = `/products/${product.id}/runs/new?item=task:${other}`;
  expect(await visitor.read(start)).toContain(`wait for ${code}`);
  await visitor.submit(`/tasks/${other}`, "add-dependency", { blocked_by: code });
  const after = await visitor.read(`/tasks/${other}`);
  expect(after).toContain("Blocked by (1)");
  expect(after).not.toContain(`wait for ${code}`);
  expect(await visitor.read(start)).not.toContain(`wait for ${code}`);
});

it("A forecast not better than the newest files over fifty tasks hides itself, and Insights says so", async () => {
  const { world, product, read, visitor } = await scene();
  const settle = (guess: string, count: number) =>
    t.query`with made as (
      insert into tasks (story_id, code, title) select ${at(world.stories, 0).id}, 'X-' || ${guess} || n, 'Old'
        from generate_series(1, ${count}::integer) n returning id)
    insert into forecasts (task_id, index_id, digest, main_sha, known_changes, touches, ranked, recent, by_words, support, claimed_at, settled_at, changed)
    select m.id, x.id, '', '', 9, '[]', array[${guess}], array['recent'], '{}', 6, now(), now(), array['recent']
    from made m, change_indexes x where x.product_id = ${product.id}`;
  await settle("wrong", 49);
  expect((await read()).touches).not.toEqual([]);
  await settle("right", 1);
  expect(await read()).toMatchObject({ touches: [], meets: [], known_changes: 9 });
  const page = await visitor.read(`/insights?product=${product.id}`);
  expect(page).toContain("Tasks do not show what they probably touch");
});
