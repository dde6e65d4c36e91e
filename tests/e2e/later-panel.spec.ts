import { expect } from "@playwright/test";
import { expectLive, hold, openLive } from "./places";
import { test } from "./test";

const panelCode = /assets\/panel-/;

test("A panel opened by keys or pointer before its code has loaded appears once it has", async ({
  world,
  ownPage: page,
}) => {
  const letGo = await hold(page, panelCode);
  await openLive(page, `${world.product}/backlog?open=all`);
  const panel = page.getByRole("complementary", { name: "Details" });
  const sign = page.getByRole("progressbar", { name: "Loading" });

  await page.keyboard.press("c");
  await expect(sign).toHaveCSS("opacity", "1");
  await expect(page).toHaveURL(/panel=new-story/);
  await expect(panel).not.toBeAttached();
  // The page continues: anyone who changes their mind gets what they chose last.
  await page.getByRole("link", { name: "Write the greeting" }).click();
  await expect(page).toHaveURL(/panel=task/);
  letGo();
  await expect(panel.getByRole("heading").first()).toBeFocused();
  await expect(panel.getByRole("heading").first()).toContainText("Write the greeting");
  await expect(sign).not.toBeAttached();

  await page.keyboard.press("c");
  await expect(panel.getByLabel("Title")).toBeFocused();
  await page.keyboard.type("Say goodbye");
  await page.keyboard.press("Enter");
  await expect(panel.getByRole("heading").first()).toContainText("Say goodbye");
});

test("Esc closes a panel whose code has not loaded yet", async ({ world, ownPage: page }) => {
  const letGo = await hold(page, panelCode);
  await openLive(page, `${world.product}/backlog?open=all`);
  await page.keyboard.press("c");
  await expect(page).toHaveURL(/panel=new-story/);
  await expect(page.getByRole("progressbar", { name: "Loading" })).toBeAttached();
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/panel=/);
  letGo();
  await page.keyboard.press("c");
  await expect(page.getByRole("complementary", { name: "Details" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("complementary", { name: "Details" })).toBeHidden();
});

test("Esc cancels a panel whose data has not loaded yet", async ({ world, ownPage: page }) => {
  const data = /panel=new-story.*_data=/;
  await openLive(page, `${world.product}/backlog?open=all`);
  const letGo = await hold(page, data);
  const givenUp = page.waitForEvent("requestfailed", (request) => data.test(request.url()));
  await page.keyboard.press("c");
  await expect(page.getByRole("progressbar", { name: "Loading" })).toBeAttached();
  await page.keyboard.press("Escape");
  await givenUp;
  letGo();
  await expect(page.getByRole("progressbar", { name: "Loading" })).not.toBeAttached();
  await expect(page).not.toHaveURL(/panel=/);
  await page.keyboard.press("c");
  await expect(page.getByRole("complementary", { name: "Details" })).toBeVisible();
});

test("Esc closes a panel at once, and the next key goes to its row while the page loads", async ({
  world,
  ownPage: page,
}) => {
  await openLive(page, `${world.product}/backlog?open=all`);
  const row = page.getByRole("link", { name: "Write the greeting" });
  const panel = page.getByRole("complementary", { name: "Details" });
  await row.click();
  await expect(panel.getByRole("heading", { name: "Write the greeting" })).toBeFocused();
  const closed = /backlog\?open=all&_data=/;
  const letGo = await hold(page, closed);
  const asked = page.waitForRequest(closed);
  await page.keyboard.press("Escape");
  await asked;
  await expect(panel).not.toBeAttached();
  await expect(row).toBeFocused();
  await page.keyboard.press("x");
  await expect(page.getByRole("toolbar", { name: "Selection" })).toContainText("1 task");
  letGo();
  await expect(page).not.toHaveURL(/panel=/);
});

test("A page opened with a panel keeps what was typed before its code loaded", async ({ world, ownPage: page }) => {
  const letGo = await hold(page, panelCode);
  const asked = page.waitForRequest(panelCode);
  const address = `${world.product}/backlog?panel=new-pbi`;
  await page.goto(address, { waitUntil: "commit" });
  await asked;
  const title = page.getByRole("textbox", { name: "Title" });
  await title.fill("Wave at visitors");
  letGo();
  await expectLive(page);
  await expect(title).toHaveValue("Wave at visitors");
  await page.getByRole("button", { name: "Create PBI" }).click();
  await expect(page.getByRole("complementary").getByRole("heading").first()).toContainText("Wave at visitors");
});

test.describe("without the code", () => {
  test.use({ expectedProblems: /ERR_FAILED|Failed to fetch/ });

  test("A panel whose code fails to load says what to do, and works as without script", async ({
    world,
    ownPage: page,
  }) => {
    await page.route(panelCode, (route) => route.abort());
    await openLive(page, `${world.product}/backlog`);
    await page.getByRole("link", { name: "New story", exact: true }).click();
    await expect(page.getByText("Part of this page did not load")).toBeVisible();
    await page.getByRole("button", { name: "Try again" }).click();
    const panel = page.getByRole("complementary", { name: "Details" });
    await panel.getByLabel("Title").fill("Say goodbye");
    await panel.getByRole("button", { name: "Create story" }).click();
    await expect(panel.getByRole("heading").first()).toContainText("Say goodbye");
  });
});
