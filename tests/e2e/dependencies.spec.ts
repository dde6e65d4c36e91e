import { expect } from "@playwright/test";
import { openLive } from "./places";
import { test } from "./test";
import { newPerson, newWorld } from "./world";

test("what must come first is said under b, shows on both sides and on the board", async ({
  browser,
}) => {
  const { context } = await newPerson(browser);
  const world = await newWorld(context);
  const page = await context.newPage();
  await openLive(page, `/tasks/${world.taskIds[0]}`);
  const waits = page.getByRole("region", { name: /^Waits for/ });
  const field = waits.getByRole("textbox", { name: "Waits for" });
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
  await expect(waits.getByRole("heading", { name: "Waiting for this" })).toBeVisible();
  await page.keyboard.press("b");
  await field.fill("T-1");
  await page.keyboard.press("Enter");
  await expect(waits).toContainText("T-2 waits for T-1 waits for T-2");

  await openLive(page, `/products/${world.productId}/sprints/${world.sprintId}`);
  const card = (index: number) => page.locator(`[data-task="${world.taskIds[index]}"]`).first();
  await expect(card(0)).toContainText("Waits for T-2");
  await expect(card(1)).toContainText("Frees 1");
});

test("it works without script too", async ({ browser }) => {
  const { context } = await newPerson(browser, { javaScriptEnabled: false });
  const world = await newWorld(context);
  const page = await context.newPage();
  await page.goto(`/tasks/${world.taskIds[0]}`);
  const waits = page.getByRole("region", { name: /^Waits for/ });
  await waits.getByText("Wait for…").click();
  await waits.getByRole("textbox", { name: "Waits for" }).fill("T-1");
  await waits.getByRole("button", { name: "Add" }).click();
  await expect(waits).toContainText("can not wait for itself");
  await waits.getByRole("textbox", { name: "Waits for" }).fill("T-2");
  await waits.getByRole("button", { name: "Add" }).click();
  await expect(waits.getByRole("link", { name: /^T-2/ })).toBeVisible();
  await waits.getByRole("button", { name: "Remove: T-2" }).click();
  await expect(waits.getByRole("link", { name: /^T-2/ })).toHaveCount(0);
});
