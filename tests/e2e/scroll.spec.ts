import { expect, type Page } from "@playwright/test";
import { expectLive, hold, openLive } from "./places";
import { test } from "./test";
import { post } from "./world";

const placeOf = (page: Page) => page.evaluate(() => window.scrollY);

test("A page keeps its scroll position while its data reloads, and after a return to it", async ({
  owner,
  world,
  ownPage: page,
}) => {
  await page.setViewportSize({ width: 600, height: 400 });
  await openLive(page, world.sprint);
  // The page reads its data again, and is kept waiting for it.
  const asked = page.waitForRequest(/sprintId/);
  const letGo = await hold(page, /_data=.*sprintId/);
  const task_id = world.taskIds[0] ?? "";
  await post(owner.context, world.sprint, { intent: "move-task", task_id, status: "review" });
  await asked;
  await page.evaluate(() => window.scrollTo(0, 150));
  letGo();
  await expect(page.getByRole("region", { name: "Review: 1" })).toBeAttached();
  expect(await placeOf(page)).toBe(150);

  // Somewhere else it begins at the top, and back it is where it was; so it is when it is loaded again.
  const link = page.getByRole("link", { name: "Write the greeting" });
  await link.evaluate((element: HTMLElement) => element.click());
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Write the greeting");
  expect(await placeOf(page)).toBe(0);
  await page.goBack();
  await expect(page.getByRole("region", { name: "Review: 1" })).toBeAttached();
  await expect.poll(() => placeOf(page)).toBe(150);
  await page.reload();
  await expectLive(page);
  await expect.poll(() => placeOf(page)).toBe(150);
});
