import { expect, it, vi } from "vitest";
import { startScheduler } from "~/server/scheduler.server";
import { openApp } from "../setup/app";

const { t, app } = await openApp({ pages: true });
const owner = await t.createUser();
const viewer = await t.createUser();
const { product, story } = await t.seedBacklog(owner);
await t.addMember(product.id, viewer);
await t.query`update product_members set role = 'VIEWER' where user_id = ${viewer.id}`;
const visitor = await app.visitorOf(owner);
const page = `/stories/${story.id}`;
const weekly = { cron: "0 9 * * 1", zone: "Europe/Berlin", missed: "skip" };

const countCopies = async () =>
  Number((await t.query`select count(*) from stories where template_id = ${story.id}`)[0].count);

it("A recurring story is set up with a form, and shows its next three times in its time zone", async () => {
  await visitor.submit(page, "set-recurrence", weekly);
  const html = await visitor.read(page);
  expect(html).toMatch(/<code>0 9 \* \* 1<\/code> in (<!-- -->)?Europe\/Berlin/);
  expect(html.match(/<li>Monday,? \d+ \w+ \d{4}, 09:00 [A-Z]+[^<]*<\/li>/g)).toHaveLength(3);
  expect(html).not.toContain("/runs/new");
  expect(await visitor.read(`/products/${product.id}/backlog`)).toContain("Template");
  expect(await visitor.read("/inbox")).not.toContain("in Triage");
});

it("A wrong cron line is explained next to its field, and what was typed is kept", async () => {
  const fields = { ...weekly, intent: "set-recurrence", cron: "0 25 * * *" };
  const answer = await visitor.send(page, Object.entries(fields));
  expect(answer.status).toBe(422);
  const html = await answer.text();
  expect(html).toContain("hour 0-23");
  expect(html).toMatch(/<input[^>]*value="0 25 \* \* \*"/);
  expect(html).toMatch(/<details open=""/);
});

it("A recurring story is copied once by two processes, and the copy says where it comes from", async () => {
  await t.query`update recurrences set next_at = now() where story_id = ${story.id}`;
  const options = { database: t.database, log: app.services.log, ownOrigin: app.origin };
  const stops = [1, 2].map(() => startScheduler({ ...options, cronSecret: app.cronSecret, daily: false }));
  await vi.waitFor(async () => expect(await countCopies()).toBe(1), 12_000);
  await Promise.all(stops.map((stop) => stop()));
  const rows = await t.query`select id, code from stories where template_id = ${story.id}`;
  expect(await visitor.read(page)).toContain(`href="/stories/${rows[0].id}"`);
  const copy = await visitor.read(`/stories/${rows[0].id}`);
  expect(copy).toContain("Made by");
  expect(copy).not.toContain('name="cron"');
});

it("A recurring story is stopped on its page, but not by a viewer", async () => {
  const reader = await app.visitorOf(viewer);
  expect(await reader.read(page)).toContain("Europe/Berlin");
  const refused = await reader.send(page, [["intent", "stop-recurring"]]);
  expect(refused.status).toBe(403);
  await visitor.submit(page, "stop-recurring");
  expect(await visitor.read(page)).not.toContain("0 9 * * 1</code> in");
  expect(await countCopies()).toBe(1);
});
