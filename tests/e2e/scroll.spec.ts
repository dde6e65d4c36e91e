import { expect, type Page } from "@playwright/test";
import { expectLive, hold, openLive } from "./places";
import { test } from "./test";
import { post } from "./world";

const placeOf = (page: Page) => page.evaluate(() => window.scrollY);

test("A page and its board keep where they were scrolled to while data reloads, and after a return", async ({
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

  // Its columns follow a hand that drags between the cards.
  const across = () => page.locator("[data-columns]").evaluate(({ scrollLeft }) => scrollLeft);
  const before = await across();
  await page.locator("[data-column=review] .column-name").hover();
  await page.mouse.down();
  await page.mouse.move(40, 200, { steps: 4 });
  await page.mouse.up();
  await expect.poll(across).toBeGreaterThan(before);
  await page.evaluate(() => window.scrollTo(0, 150));
  const after = await across();

  // Somewhere else it begins at the top, and back it is where it was; so it is when it is loaded again.
  const link = page.getByRole("link", { name: "Write the greeting" });
  await link.evaluate((element: HTMLElement) => element.click());
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Write the greeting");
  expect(await placeOf(page)).toBe(0);
  await page.goBack();
  await expect(page.getByRole("region", { name: "Review: 1" })).toBeAttached();
  await expect.poll(() => placeOf(page)).toBe(150);
  expect(await across()).toBe(after);
  await page.reload();
  await expectLive(page);
  await expect.poll(() => placeOf(page)).toBe(150);
});
