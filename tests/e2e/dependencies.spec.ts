import { expect } from "@playwright/test";
import { openLive, openWithKeys } from "./places";
import { test } from "./test";

test("The key b adds a blocker to a task, and both tasks and the board show it", async ({ world, ownPage: page }) => {
  await openLive(page, `/tasks/${world.taskIds[0]}`);
  const waits = page.getByRole("region", { name: /^Blocked by/ });
  const field = waits.getByRole("textbox", { name: "Blocked by" });
  await expect(field).toBeHidden();

  await page.keyboard.press("b");
  await expect(field).toBeFocused();
  await field.fill("T-404");
  await page.keyboard.press("Enter");
  await expect(waits).toContainText("No task T-404 in this product");
  await field.fill("t-2");
  await page.keyboard.press("Enter");
  await expect(waits.getByRole("link", { name: /^T-2/ })).toBeVisible();

  await waits.getByRole("link", { name: /^T-2/ }).click();
  await expect(waits.getByRole("heading", { name: "Blocks" })).toBeVisible();
  await page.keyboard.press("b");
  await field.fill("T-1");
  await page.keyboard.press("Enter");
  await expect(waits).toContainText("T-2 → T-1 → T-2");

  await openLive(page, `/products/${world.productId}/sprints/${world.sprintId}`);
  const card = (index: number) => page.locator(`[data-task="${world.taskIds[index]}"]`).first();
  await expect(card(0)).toContainText("Blocked by T-2");
  await expect(card(1)).toContainText("Blocks 1");
});

test("Rows and pages suggest nearby blockers, and a run shows how many tasks can run at once", async ({
  world,
  ownPage: page,
}) => {
  await openWithKeys(page, `/products/${world.productId}/sprints/${world.sprintId}`);
  const card = (index: number) => page.locator(`[data-task="${world.taskIds[index]}"]`).first();
  await card(0).locator("[data-row]").focus();
  await page.keyboard.press("b");
  const menu = page.getByRole("group", { name: "Blockers of T-1" });
  await expect(menu.getByRole("button", { name: /^T-2/ })).toBeVisible();
  await page.keyboard.type("t-2");
  await expect(menu.getByRole("button", { name: /^T-3/ })).toHaveCount(0);
  await page.keyboard.press("Enter");
  await expect(card(0)).toContainText("Blocked by T-2");

  await openLive(page, `/tasks/${world.taskIds[0]}`);
  await page.keyboard.press("b");
  const near = page.getByRole("form", { name: "Possible blockers" });
  await expect(near.getByRole("button", { name: /T-2/ })).toHaveCount(0);
  await near.getByRole("button", { name: /T-3/ }).click();
  const waits = page.getByRole("region", { name: "Blocked by (2)" });
  await expect(waits.getByRole("link", { name: /^T-3/ })).toBeVisible();

  await page.keyboard.press("ControlOrMeta+k");
  await expect(page.getByRole("option", { name: /^Blocked by…/ }).first()).toBeVisible();
  await page.goto("/search?q=blocked:T-3");
  await expect(page.getByRole("main").getByText("T-1", { exact: true })).toBeVisible();
});

test("A person can start a blocked task after confirming, and hears what a finished task unblocks", async ({
  world,
  ownPage: page,
}) => {
  await openLive(page, `/tasks/${world.taskIds[0]}`);
  await page.keyboard.press("b");
  await page.getByRole("textbox", { name: "Blocked by" }).fill("T-2");
  await page.keyboard.press("Enter");
  const begin = page.getByRole("button", { name: "Start anyway" });
  await expect(begin).toBeVisible();

  const sprintPage = `/products/${world.productId}/sprints/${world.sprintId}`;
  await openWithKeys(page, sprintPage);
  const card = (index: number) => page.locator(`[data-task="${world.taskIds[index]}"]`).first();
  await card(0).locator("[data-row]").focus();
  await page.keyboard.press("s");
  await page.getByRole("button", { name: "In progress", exact: true }).click();
  const messages = page.getByRole("region", { name: "Notifications" });
  await expect(messages).toContainText("T-1 is blocked by T-2. Finish that first, or start it anyway.");
  await messages.getByRole("button", { name: "Start anyway" }).click();
  await expect(
    page.getByRole("region", { name: /In progress/ }).locator(`[data-task="${world.taskIds[0]}"]`),
  ).toBeVisible();
  await page.goto("/settings/activity");
  await expect(page.getByRole("row", { name: /Started a task that is blocked/ })).toContainText("T-1, before T-2");

  await openLive(page, `/tasks/${world.taskIds[0]}`);
  await expect(begin).toHaveCount(0);
  await page.getByLabel("Status", { exact: true }).selectOption("todo");
  await expect(begin).toBeVisible();
  await openLive(page, `/tasks/${world.taskIds[1]}`);
  await page.getByLabel("Status", { exact: true }).selectOption("done");
  await expect(messages).toContainText("T-2 is in Done. T-1 can start now");
});
