import { type BrowserContext, expect } from "@playwright/test";
import { test } from "./test";
import { newDemo, newPerson, newWorld, post, signedIn } from "./world";

test("A demo visitor sees every page, and can use no control that changes something", async ({ browser }) => {
  const owner = await newPerson(browser);
  const world = await newWorld(owner.context);
  const name = await newDemo();
  await owner.context.request.post(`${world.product}/members`, { form: { intent: "add", identifier: name } });

  // What the server has written for someone who may change it is not what this visitor gets, nor what it was before a change.
  const boardOf = async ({ request }: BrowserContext) => (await request.get(world.sprint)).text();
  const card = `data-drag="true" data-task="${world.taskIds[0]}"`;
  expect(await boardOf(owner.context)).toContain(card);
  const context = await signedIn(browser, name);
  const read = await boardOf(context);
  expect(read).toContain(`data-task="${world.taskIds[0]}"`);
  expect(read).not.toContain(card);
  await post(owner.context, `/tasks/${world.taskIds[0]}`, { intent: "edit", title: "Write it anew" });
  for (const who of [owner.context, context]) {
    const changed = await boardOf(who);
    expect(changed).toContain(">Write it anew<");
    expect(changed).not.toContain(">Write the greeting<");
  }

  const page = await context.newPage();
  const places = [
    `${world.product}/backlog?panel=story:${world.storyId}`,
    world.sprint,
    `${world.product}/members`,
    `/stories/${world.storyId}`,
    `/tasks/${world.taskIds[0]}`,
    "/inbox",
    "/inbox?show=questions",
    "/ideas",
  ];
  for (const place of places) {
    await page.goto(place);
    await expect(
      page.getByText("This is a demo account. You can see everything but change nothing.").first(),
    ).toBeVisible();
    const forms = page.locator("main form[method=post] button[type=submit]:not(:disabled)");
    await expect(forms).toHaveCount(0);
  }

  const answer = await context.request.post(world.sprint, {
    form: { intent: "move-task", task_id: world.taskIds[0] ?? "", status: "done" },
  });
  expect(answer.status()).toBe(403);
});
