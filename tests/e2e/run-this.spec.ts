import { expect } from "@playwright/test";
import { keysOf } from "./keys";
import { openWithKeys } from "./places";
import { test } from "./test";
import { post } from "./world";

test("The key r shows what a task may take, and an agent plans first for one without a plan, by keys alone", async ({
  owner: { context },
  world: { product, storyId },
  ownPage: page,
}) => {
  const fields = { intent: "create-task", story_id: storyId, title: "Sing the greeting" };
  await post(context, `${product}/backlog`, fields);
  const keys = keysOf(page);
  await openWithKeys(page, `${product}/backlog`);
  await page.getByRole("link", { name: "Sing the greeting" }).focus();
  await keys.press("r");
  await expect(page.getByRole("checkbox", { name: /^Stop each task at/ })).toBeChecked();
  await expect(page.getByRole("button", { name: "Start run" })).toBeFocused();
  await keys.press("Enter");
  await expect(page.getByRole("heading", { name: "1 blocker" })).toBeVisible();
  await keys.activate(page.getByRole("button", { name: "Agent plans first" }));
  await expect(page.getByRole("heading", { name: /^Run of T-/ })).toBeVisible();
  // Back is where it was chosen, not the form that would start it again.
  await page.goBack();
  await expect(page.getByRole("region", { name: "Backlog tree" })).toBeVisible();
});
