import { expect } from "@playwright/test";
import { openWithKeys } from "./places";
import { test } from "./test";
import { callTool, newPerson, newToken, newWorld, post } from "./world";

test("A panel moves no row of the backlog, and menus find people by their names", async ({ browser }) => {
  const { name, context } = await newPerson(browser);
  const world = await newWorld(context);
  const page = await context.newPage();
  await post(context, `/stories/${world.storyId}`, { intent: "assign", assignee_id: "" });
  await openWithKeys(page, `${world.product}/backlog`);
  const row = page.getByRole("link", { name: "See a greeting" });
  const place = async () => {
    const box = await row.boundingBox();
    return { x: box?.x, y: box?.y };
  };
  const before = await place();
  await row.click();
  const panel = page.getByRole("complementary", { name: "Details" });
  await expect(panel).toContainText("ST-001");
  expect(await place()).toEqual(before);
  // Once it is whole it takes the focus, and closed it gives it back.
  await expect(panel.getByRole("heading", { name: "See a greeting" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(row).toBeFocused();
  await page.keyboard.press("i");
  await page
    .getByRole("searchbox")
    .or(page.getByRole("combobox", { name: /^Filter by/ }))
    .fill(name);
  await expect(page).toHaveURL(/q=/);
  await expect(row).toBeVisible();
});

test("The keys x and Shift with an arrow select rows of one kind, and Shift back unselects the last", async ({
  owner,
  world,
  ownPage: page,
}) => {
  const backlog = `${world.product}/backlog`;
  for (const title of ["Say goodbye", "Wave a hand", "Bow deeply"])
    await post(owner.context, backlog, { intent: "create-story", pbi_id: world.pbiId, title });
  await openWithKeys(page, backlog);
  const bar = page.getByRole("toolbar", { name: "Selection" });
  await page.getByRole("link", { name: "See a greeting" }).focus();
  await page.keyboard.press("x");
  await expect(page.locator("[data-line][data-marked]")).toHaveCSS("overflow", "visible");
  for (const count of [2, 3]) {
    await page.keyboard.press("Shift+ArrowDown");
    await expect(bar).toContainText(`${count} stories selected`);
  }
  await expect(page.getByRole("link", { name: "Wave a hand" })).toBeFocused();
  await page.keyboard.press("Shift+ArrowUp");
  await expect(bar).toContainText("2 stories selected");

  // A sprint is made of them where they are.
  await page.keyboard.press("m");
  await page.getByRole("button", { name: "New sprint with these" }).click();
  await expect(page.getByRole("heading", { name: "New sprint with 2 stories" })).toBeVisible();
  await page.getByLabel("Goal").fill("Be polite");
  await page.getByRole("button", { name: "Create sprint", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Stories (2)" })).toBeVisible();
});

test("In triage the keys 1, 2 and 3 accept, merge and decline a story", async ({ owner, world, ownPage: page }) => {
  await post(owner.context, `${world.product}/settings`, { intent: "update", agent_items: "triage" });
  const token = await newToken(owner.context);
  for (const title of ["First", "Second", "Third"])
    await callTool(owner.context, token, "create_story", { pbi_id: world.pbiId, title });
  await openWithKeys(page, `${world.product}/backlog`);
  await page.keyboard.press("g");
  await page.keyboard.press("y");
  const rows = page.locator("[data-waiting]");
  await expect(rows).toHaveCount(3);
  await page.keyboard.press("1");
  await expect(page.getByText(/is in the backlog$/)).toBeVisible();
  await expect(rows).toHaveCount(2);
  await page.keyboard.press("3");
  await expect(rows).toHaveCount(1);
  await page.keyboard.press("2");
  await expect(page.getByLabel("Merge into story")).toBeFocused();
  await page.getByRole("button", { name: "Merge", exact: true }).click();
  await expect(page.getByText("Nothing to triage")).toBeVisible();
});

test("A blocker added by the key b can be undone", async ({ world, ownPage: page }) => {
  await openWithKeys(page, `${world.product}/backlog`);
  await page.getByRole("link", { name: "Show the greeting" }).focus();
  await page.keyboard.press("b");
  await page.getByRole("button", { name: /^T-1 / }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Waits no more")).toBeVisible();
});
