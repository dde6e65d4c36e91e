import { expect } from "@playwright/test";
import { openWithKeys } from "./places";
import { test } from "./test";
import { newPerson, newWorld, post } from "./world";

const sizes = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

for (const viewport of sizes) {
  test(`Blockers of a run are resolved on the board itself, at ${viewport.width} pixels`, async ({ browser }) => {
    const { context } = await newPerson(browser, { viewport });
    const { product, sprint, storyId, pbiId } = await newWorld(context);
    const task = { story_id: storyId, title: "Sing the greeting", description: "Sing it" };
    await post(context, `${product}/backlog`, { intent: "create-task", ...task });
    const blocked = { intent: "block-pbi", pbi_id: pbiId, status: "blocked" };
    await post(context, `${product}/backlog`, blocked);
    const page = await context.newPage();
    await openWithKeys(page, sprint);
    const blockers = page.getByRole("button", { name: /^\d+ blockers? of a run/ });
    await page.getByRole("link", { name: "Start run" }).click();
    await page.getByRole("button", { name: "Use the description" }).click();
    // What is cured is gone; what is next to it is still named, and unblocking starts the run.
    await expect(blockers).toHaveAccessibleName(/^1 blocker/);
    if (!(await page.getByRole("button", { name: /^Unblock/ }).isVisible())) await blockers.click();
    await expect(page.getByRole("button", { name: "Use the description" })).toHaveCount(0);
    await page.getByRole("button", { name: /^Unblock/ }).click();
    await expect(page.getByRole("heading", { name: /^Run of sprint SP-1/ })).toBeVisible();
  });
}

test("A page of no product, such as Insights, shows the product that was opened last", async ({ browser }) => {
  const { context } = await newPerson(browser);
  const worlds = [await newWorld(context), await newWorld(context)];
  const page = await context.newPage();
  for (const { taskIds, productId } of worlds) {
    const followed = page.waitForRequest((request) => request.url().includes("/active-product"));
    await page.goto(`/tasks/${taskIds[0]}`);
    await followed;
    await expect
      .poll(async () => (await (await context.request.get("/insights")).text()).includes(productId))
      .toBe(true);
  }
});
