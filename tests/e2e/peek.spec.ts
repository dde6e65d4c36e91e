import { expect, type Page } from "@playwright/test";
import { hold, openBoard, openWithKeys } from "./places";
import { test } from "./test";

const details = (page: Page) => page.getByRole("complementary", { name: "Details" });

test("Space peeks while it is held, a tap leaves the peek open, and the list does not move", async ({
  world,
  ownPage: page,
}) => {
  for (const open of [() => openBoard(page, world.sprint), () => openWithKeys(page, `${world.product}/backlog`)]) {
    await open();
    const row = page.getByRole("link", { name: "Show the greeting" });
    await row.focus();
    const before = await row.boundingBox();
    await page.keyboard.down("Space");
    await expect(details(page)).toContainText("Show the greeting");
    // The second one is the key repeating itself.
    await page.keyboard.down("Space");
    await expect(details(page)).toContainText("Test it");
    expect(await row.boundingBox()).toEqual(before);
    await page.keyboard.up("Space");
    await expect(details(page)).toBeHidden();
    await expect(row).toBeFocused();

    await page.keyboard.press("Space");
    await expect(details(page)).toContainText("Test it");
    await page.keyboard.press("Space");
    await expect(details(page)).toBeHidden();
  }
});

test("A peek, panel or page shows at once what the row says, and can close while the rest is loading", async ({
  world,
  ownPage: page,
}) => {
  await openBoard(page, world.sprint);
  const ofTask = await hold(page, /\/tasks\/.*_data=/);
  await page.getByRole("link", { name: "Show the greeting" }).focus();
  await page.keyboard.press("Space");
  await expect(details(page).getByRole("heading")).toHaveText(/T-2\s*Show the greeting/);
  await expect(details(page)).toContainText("To do");
  await expect(details(page)).toContainText("Loading");
  ofTask();
  await expect(details(page)).toContainText("Test it");

  // So does its page.
  const ofPage = await hold(page, /\/tasks\/.*_data=/);
  const coming = page.locator("[data-coming]");
  await page.keyboard.press("Enter");
  await expect(coming).toHaveText(/T-2\s*Show the greeting.*To do/);
  ofPage();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Show the greeting");
  await expect(coming).not.toBeAttached();

  const backlog = `${world.product}/backlog`;
  await openWithKeys(page, backlog);
  const ofRow = await hold(page, /panel=task.*_data=/);
  const row = page.getByRole("link", { name: "Show the greeting" });
  // One that is opened to stay does so too: no row moves for it, and the tool bar stays in reach.
  const before = await row.boundingBox();
  await row.press("Enter");
  await expect(details(page)).toContainText("Loading");
  expect(await row.boundingBox()).toEqual(before);
  await page.getByRole("link", { name: "New story", exact: true }).click({ trial: true });
  await page.keyboard.press("Escape");
  await expect(details(page)).toBeHidden();
  await row.focus();
  await page.keyboard.press("Space");
  await expect(details(page)).toContainText("Loading");
  await page.keyboard.press("ArrowDown");
  await expect(details(page).getByRole("heading")).toHaveText(/T-3\s*Check the greeting/);
  await page.keyboard.press("Escape");
  await expect(details(page)).toBeHidden();
  await expect(page).toHaveURL(new RegExp(`${backlog}\\??$`));
  ofRow();
  await page.keyboard.press("Space");
  await expect(details(page)).toContainText("Test it");
});
