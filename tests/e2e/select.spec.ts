import { expect } from "@playwright/test";
import { openLive } from "./places";
import { test } from "./test";
import { newPerson, newWorld, post } from "./world";

test("stories are selected by x and move into a sprint together", async ({ browser }) => {
  const { context } = await newPerson(browser);
  const world = await newWorld(context);
  const backlog = `${world.product}/backlog`;
  for (const title of ["Say goodbye", "Wave a hand"]) {
    await post(context, backlog, { intent: "create-story", pbi_id: world.pbiId, title });
  }
  const page = await context.newPage();
  await openLive(page, backlog);

  for (const title of ["Say goodbye", "Wave a hand"]) {
    await page.getByRole("link", { name: title }).focus();
    await page.keyboard.press("x");
  }
  await expect(page.getByText("2 stories selected")).toBeVisible();
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await expect(page.getByText("2 stories have moved")).toBeVisible();
  await expect(page.getByText("2 stories selected")).toBeHidden();
  const inSprint = page.locator("[data-line^=story]").filter({ hasText: "SP-1" });
  await expect(inSprint).toHaveCount(3);
  await page.keyboard.press("ControlOrMeta+z");
  await expect(page.getByText(/^Taken back: sprint of ST-00\d and ST-00\d$/)).toBeVisible();
  await expect(inSprint).toHaveCount(1);
  await context.close();
});

test("a focused card goes straight to a column by its number", async ({ browser }) => {
  const { context } = await newPerson(browser);
  const world = await newWorld(context);
  const page = await context.newPage();
  await openLive(page, world.sprint);
  await page.locator(`[data-task-id="${world.taskIds[0]}"]`).focus();
  await page.keyboard.press("3");
  await expect(page.getByRole("region", { name: "Review: 1" })).toContainText("T-1");
  await context.close();
});
