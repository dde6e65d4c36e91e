import { expect } from "@playwright/test";
import { keysOf } from "./keys";
import { openLive, openWithKeys } from "./places";
import { test } from "./test";
import { newWorld, post, unique } from "./world";

test("A person creates a product, a PBI, a story and a planned task by keys alone", async ({ ownPage: page }) => {
  const keys = keysOf(page);
  const title = page.getByLabel("Title", { exact: true });
  const details = page.getByRole("complementary", { name: "Details" });
  await openLive(page, "/dashboard");
  await keys.activate(page.getByRole("link", { name: "New product" }).last());
  await keys.typeInto(page.getByLabel("Name", { exact: true }), `Planes ${unique()}`);
  await keys.press("Enter");
  await expect(page.getByText("No PBIs yet")).toBeVisible();

  await keys.press("c");
  await keys.typeInto(title, "Fold a plane");
  await keys.press("Enter");
  await expect(details).toContainText("PBI-1");
  await keys.press("c");
  await keys.typeInto(title, "See each fold");
  await keys.press("Enter");
  await expect(details).toContainText("ST-001");
  await keys.activate(page.getByRole("link", { name: "New task in ST-001" }));
  await keys.typeInto(title, "Draw the fold");
  await keys.fill(page.getByRole("textbox", { name: /Implementation plan/ }), "1. Draw it");
  await keys.activate(page.getByRole("button", { name: "Create task" }));
  await expect(details).toContainText("T-1");

  // Several lines pasted where nothing is typed become stories, after a look at them.
  await keys.press("Escape");
  await expect(details).toBeHidden();
  await page.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", "- Throw it\n  - Find a room\n- Catch it");
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
  });
  await expect(details.getByRole("region", { name: "Preview" })).toContainText("Find a room");
  await keys.activate(page.getByRole("button", { name: "Create 2 stories and 1 task" }));
  await expect(details).toContainText("Created 2 stories and 1 task.");
});

test("A person orders, blocks and renames a PBI, and takes a story from its sprint, by keys alone", async ({
  owner: { context },
  world: { product },
  ownPage: page,
}) => {
  await post(context, `${product}/backlog`, { intent: "create-pbi", title: "Say goodbye" });
  const keys = keysOf(page);
  const tree = page.getByRole("region", { name: "Backlog tree" });
  const details = page.getByRole("complementary", { name: "Details" });
  await openWithKeys(page, `${product}/backlog`);

  await keys.sequence("j", "Enter");
  await keys.activate(details.getByRole("button", { name: "Down" }));
  await expect(tree).toContainText(/Say goodbye.*Greet visitors/);
  await keys.activate(details.getByRole("button", { name: "Block" }));
  await expect(details.getByRole("button", { name: "Unblock" })).toBeVisible();
  await keys.tabTo(details.getByRole("button", { name: "Edit title" }));
  await keys.press("e");
  await keys.fill(details.getByRole("textbox", { name: "Title" }), "Greet everyone");
  await keys.press("Enter");
  await expect(tree).toContainText("Greet everyone");
  await keys.press("Escape");
  await expect(tree.getByRole("link", { name: "Greet everyone" })).toBeFocused();

  await keys.sequence("j", "Enter");
  const story = tree.locator("[data-line^=story]");
  const sprint = details.getByLabel("Sprint", { exact: true });
  await keys.tabTo(sprint);
  await sprint.selectOption("In no sprint");
  await expect(story).not.toContainText("SP-1");
  await sprint.selectOption("SP-1 (active)");
  await expect(story).toContainText("SP-1");
});

test("A person notes an idea and makes it a PBI by keys alone", async ({ owner: { context }, ownPage: page }) => {
  await newWorld(context);
  const keys = keysOf(page);
  await openLive(page, "/ideas");
  await keys.press("c");
  await keys.typeInto(page.getByLabel("Title"), "Planes that glow");
  await keys.press("Enter");
  await expect(page.getByRole("heading", { name: /Planes that glow/ })).toBeVisible();
  await keys.activate(page.locator("summary", { hasText: "Promote to PBI" }));
  await keys.activate(page.getByRole("button", { name: "Promote", exact: true }));
  await keys.activate(page.getByRole("main").getByRole("link", { name: "PBI-2" }));
  await expect(page.getByRole("complementary", { name: "Details" })).toContainText("glow");
});
