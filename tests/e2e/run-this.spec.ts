import { expect } from "@playwright/test";
import { keysOf } from "./keys";
import { openWithKeys } from "./places";
import { test } from "./test";
import { newPerson, newWorld, post } from "./world";

test("by keys alone: r on a task without a plan, an agent plans first, and the run is there", async ({
  browser,
}) => {
  const { context } = await newPerson(browser);
  const { product, storyId } = await newWorld(context);
  const fields = { intent: "create-task", story_id: storyId, title: "Sing the greeting" };
  await post(context, `${product}/backlog`, fields);
  const page = await context.newPage();
  const keys = keysOf(page);
  await openWithKeys(page, `${product}/backlog`);
  await page.getByRole("link", { name: "Sing the greeting" }).focus();
  await keys.press("r");
  await expect(page.getByRole("heading", { name: "1 blocker" })).toBeVisible();
  await keys.activate(page.getByRole("button", { name: "Agent plans first" }));
  await expect(page.getByRole("heading", { name: /^Run of T-/ })).toBeVisible();
  // Back is where it was chosen, not the form that would start it again.
  await page.goBack();
  await expect(page.getByRole("region", { name: "Backlog tree" })).toBeVisible();
  await context.close();
});

test("r on a planned task goes to its run", async ({ browser }) => {
  const { context } = await newPerson(browser);
  const { sprint } = await newWorld(context);
  const page = await context.newPage();
  await openWithKeys(page, sprint);
  await page.getByRole("link", { name: "Write the greeting" }).focus();
  await page.keyboard.press("r");
  await expect(page.getByRole("heading", { name: /^Run of T-/ })).toBeVisible();
  await context.close();
});

test("a sprint with a task without a plan starts when its agent plans first", async ({
  browser,
}) => {
  const { context } = await newPerson(browser);
  const { product, sprint, storyId } = await newWorld(context);
  const fields = { intent: "create-task", story_id: storyId, title: "Sing the greeting" };
  await post(context, `${product}/backlog`, fields);
  const page = await context.newPage();
  await openWithKeys(page, sprint);
  await page.getByRole("button", { name: /^\d+ blockers? of a run/ }).click();
  await page.getByRole("button", { name: "Agent plans first" }).click();
  await expect(page.getByRole("heading", { name: /^Run of sprint SP-1/ })).toBeVisible();
  await context.close();
});
