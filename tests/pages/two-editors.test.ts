import { expect, it } from "vitest";
import { updateProduct } from "~/nouns/products/operations.server";
import { updateSprint } from "~/nouns/sprints/operations.server";
import { updateStory } from "~/nouns/stories/operations.server";
import { openApp } from "../setup/app";

const { t, app } = await openApp({ pages: true });
const ada = await t.createUser();
const ben = await t.createUser({ username: "ben" });
const { product, story, sprint } = await t.seedBacklog(ada);
await t.addMember(product.id, ben);
const visitor = await app.visitorOf(ada);
const page = `/stories/${story.id}?edit=description`;
const byBen = (change: { title?: string; description?: string }) =>
  updateStory(t.actorOf(ben), { story_id: story.id, ...change });
const versionIn = (html: string) =>
  /name="expected_version"[^>]*value="(\d+)"/.exec(html.slice(html.indexOf("<textarea") - 2_000))?.[1];
const save = (description: string, expected_version = "") =>
  visitor.send(page, { intent: "update", story_id: story.id, description, expected_version });
const stored = async () => (await t.query`select title, description from public.stories where id = ${story.id}`)[0];

it("Without script, anyone who saves over a newer text is shown both, and decides", async () => {
  const opened = versionIn(await visitor.read(page));
  await byBen({ description: "Of Ben" });
  const refused = await save("Of Ada", opened);
  expect(refused.status).toBe(412);
  const html = await refused.text();
  expect(html).toContain("ben<!-- --> changed this while you were editing");
  expect(html).toContain(">Of Ben</blockquote>");
  expect(html).toMatch(/<textarea[^>]*>Of Ada<\/textarea>/);
  expect(html).toMatch(/Replace theirs.*Take theirs/s);
  expect(await stored()).toMatchObject({ description: "Of Ben" });

  expect((await save("Of Ada", versionIn(html))).status).toBe(303);
  expect(await stored()).toMatchObject({ description: "Of Ada" });
});

it("Changes by two people to different texts of a story are both kept, and no one is asked", async () => {
  const opened = versionIn(await visitor.read(page));
  await byBen({ title: "A title of Ben" });
  expect((await save("More of Ada", opened)).status).toBe(303);
  expect(await stored()).toEqual({ title: "A title of Ben", description: "More of Ada" });
});

it("The settings of a product and the goal of a sprint are not overwritten unseen", async () => {
  const settings = `/products/${product.id}/settings`;
  const board = `/products/${product.id}/sprints/${sprint.id}`;
  const hidden = async (path: string) =>
    /name="expected_version" value="(\d+)"/.exec(await visitor.read(path))?.[1] ?? "";
  const [ofProduct, ofSprint] = [await hidden(settings), await hidden(board)];
  const actor = t.actorOf(ada);
  await updateProduct(actor, { product_id: product.id, name: "Named elsewhere" });
  await updateSprint(actor, { sprint_id: sprint.id, sprint_goal: "Set elsewhere" });

  const forms = [
    { path: settings, version: ofProduct, fields: { intent: "update", name: "Mine" } },
    { path: board, version: ofSprint, fields: { intent: "update-sprint", sprint_goal: "Mine" } },
  ];
  for (const { path, version, fields } of forms) {
    const send = (expected_version: string) =>
      visitor.send(path, Object.entries({ ...fields, product_id: product.id, expected_version }));
    const refused = await send(version);
    expect(refused.status).toBe(412);
    expect(await refused.text()).toContain("Save again to keep yours");
    expect((await send(await hidden(path))).status).toBeLessThan(400);
  }
});
