import { expect } from "@playwright/test";
import { column, hold, openBoard, openWithKeys } from "./places";
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
  await openWithKeys(page, backlog);
  await expect(page.locator("[data-backlog-moves]")).toBeAttached();

  await page.getByRole("link", { name: "Say goodbye" }).focus();
  await page.keyboard.press("x");
  // A range by pointer, from the one that was selected last.
  await page.getByRole("link", { name: "Wave a hand" }).click({ modifiers: ["Shift"] });
  const bar = page.getByRole("toolbar", { name: "Selection" });
  await expect(bar).toContainText("2 stories selected");
  await bar.getByRole("button", { name: "Move" }).click();
  await page.getByRole("group", { name: "Move 2 selected" }).getByText("SP-1").click();
  await expect(page.getByText("2 updated")).toBeVisible();
  const inSprint = page.locator("[data-line^=story]").filter({ hasText: "SP-1" });
  await expect(inSprint).toHaveCount(3);
  await page.keyboard.press("ControlOrMeta+z");
  await expect(page.getByText(/^Undone: sprint of ST-00\d and ST-00\d$/)).toBeVisible();
  await expect(inSprint).toHaveCount(1);

  // All of them dragged together, with their number at the pointer.
  await page
    .getByRole("link", { name: "Say goodbye" })
    .dragTo(page.getByRole("region", { name: "Open sprints" }).getByRole("link"));
  await expect(inSprint).toHaveCount(3);
  await page.keyboard.press("Escape");
  await expect(bar).toBeHidden();
});

test("anyone who types faster than the page draws keeps the focus", async ({ world, ownPage: page }) => {
  await openWithKeys(page, world.sprint);
  const write = page.getByRole("link", { name: "Write the greeting" });
  const show = page.getByRole("link", { name: "Show the greeting" });
  await write.focus();
  // All within one frame, which keys that are pressed from here do not reach.
  await show.evaluate(async (next: HTMLElement) => {
    const key = () => new KeyboardEvent("keydown", { key: "x", code: "KeyX", bubbles: true });
    document.activeElement?.dispatchEvent(key());
    next.focus();
    for (let frame = 0; frame < 4; frame++) await new Promise(requestAnimationFrame);
  });
  await expect(show).toBeFocused();
  await page.keyboard.press("x");
  await expect(page.getByRole("toolbar", { name: "Selection" })).toContainText("2 tasks selected");
});

test("single keys change the highlighted row of a list without opening it", async ({ browser }) => {
  const { name, context } = await newPerson(browser);
  const world = await newWorld(context);
  const page = await context.newPage();
  const line = (text: string) => page.locator("[data-line]").filter({ hasText: text });
  await openWithKeys(page, `${world.product}/backlog`);
  await page.getByRole("link", { name: "Write the greeting" }).focus();

  await page.keyboard.press("s");
  await page.keyboard.type("rev");
  await page.keyboard.press("Enter");
  await expect(line("Write the greeting")).toContainText("Review");
  await expect(page.getByRole("link", { name: "Write the greeting" })).toBeFocused();

  await page.keyboard.press("e");
  const title = page.getByRole("textbox", { name: "Title" });
  await expect(title).toHaveValue("Write the greeting");
  await title.fill("Write a warm greeting");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("link", { name: "Write a warm greeting" })).toBeFocused();

  await page.keyboard.press("p");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("group", { name: /Priority/ })).toBeHidden();
  await expect(page.getByRole("link", { name: "Write a warm greeting" })).toBeFocused();
  await page.keyboard.press("p");
  await expect(page.getByRole("group", { name: /Priority/ })).toBeVisible();
  await page.keyboard.press("ArrowDown");
  // The message of the change before may still be there: it says nothing of this one.
  const changed = page.waitForResponse((response) => response.url().includes("/changes"));
  await page.keyboard.press("Enter");
  expect((await changed).status()).toBe(200);
  await expect(page.getByRole("group", { name: /Priority/ })).toBeHidden();
  await expect(page.getByRole("link", { name: "Write a warm greeting" })).toBeFocused();

  // Space opens it next to the list, arrows change its content, and the focus never leaves the list.
  const details = page.getByRole("complementary", { name: "Details" });
  await page.keyboard.press("Space");
  await expect(details).toContainText("Write a warm greeting");
  await page.keyboard.press("ArrowDown");
  await expect(details).toContainText("Show the greeting");
  await expect(page.getByRole("link", { name: "Show the greeting" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(details).toBeHidden();
  await expect(page.getByRole("link", { name: "Show the greeting" })).toBeFocused();

  const given = page.waitForResponse((answer) => answer.url().includes("/changes"));
  await page.keyboard.press("i");
  expect((await given).status()).toBe(200);
  await page.goto(`/stories/${world.storyId}`);
  await expect(page.getByLabel("Assignee").locator("option:checked")).toHaveText(name);

  await page.goto("/settings");
  await page.getByLabel("Single-letter shortcuts").uncheck();
  await openWithKeys(page, `${world.product}/backlog`);
  await page.getByRole("link", { name: "Show the greeting" }).focus();
  await page.keyboard.press("s");
  await page.keyboard.press("x");
  await expect(page.getByRole("toolbar", { name: "Selection" })).toBeHidden();
  await expect(page.getByRole("group", { name: /Status of/ })).toBeHidden();
});

test("cards are selected together, dragged together, and peeked at next to the board", async ({ browser }) => {
  const { context } = await newPerson(browser);
  const world = await newWorld(context);
  const page = await context.newPage();
  await openBoard(page, world.sprint);
  await page.getByRole("button", { name: "Display" }).click();
  await page.getByRole("button", { name: "Select cards" }).click();
  await page.getByRole("link", { name: "Write the greeting" }).click();
  await page.getByRole("link", { name: "Check the greeting" }).click();
  await expect(page.getByRole("toolbar", { name: "Selection" })).toContainText("2 tasks selected");
  await page.getByText("Write the greeting").dragTo(column(page, "Review"));
  await expect(column(page, "Review")).toContainText("T-1");
  await expect(column(page, "Review")).toContainText("T-3");
  await expect(column(page, "To do")).toContainText("T-2");
  await expect(page.getByText("2 updated")).toBeVisible();
  await page.keyboard.press("ControlOrMeta+z");
  await expect(page.getByRole("region", { name: "To do: 3" })).toBeVisible();

  await page.getByRole("button", { name: "Stop selecting" }).click();
  await page.getByRole("link", { name: "Show the greeting" }).focus();
  await page.keyboard.press("Space");
  const details = page.getByRole("complementary", { name: "Details" });
  await expect(details).toContainText("Show the greeting");
  await expect(details).toContainText("Test it");
  await details.getByLabel("Status").selectOption("Done");
  await expect(column(page, "Done")).toContainText("T-2");
  await page.keyboard.press("Escape");
  await expect(details).toBeHidden();
});

test("a focused card goes straight to a column by its number", async ({ world, ownPage: page }) => {
  await openBoard(page, world.sprint);
  await page.locator(`[data-task-id="${world.taskIds[0]}"]`).focus();
  await page.keyboard.press("3");
  await expect(page.getByRole("region", { name: "Review: 1" })).toContainText("T-1");
});

test("Undo reverts the last move, although it is still on its way", async ({ world, ownPage: page }) => {
  await openBoard(page, world.sprint);
  const letGo = await hold(page, /_data=/, (request) => request.postData()?.includes("move-task") ?? false);
  await page.locator(`[data-task-id="${world.taskIds[0]}"]`).focus();
  await page.keyboard.press("3");
  await expect(page.getByRole("region", { name: "Review: 1" })).toContainText("T-1");
  const undone = page.waitForResponse(/\/undo/);
  await page.keyboard.press("ControlOrMeta+z");
  letGo();
  expect((await undone).status()).toBe(200);
  await expect(page.getByRole("region", { name: "To do: 3" })).toContainText("T-1");
});

test("A right click offers every action of a row's keys, also in a list, and keys reorder PBIs", async ({
  owner: { context },
  world,
  ownPage: page,
}) => {
  const menu = page.getByRole("group", { name: "Actions for T-1" });
  const lines = page.locator("[data-line]");
  await openWithKeys(page, `${world.sprint}?as=list`);
  await page.getByTitle("Select").first().click();
  await expect(page.getByRole("toolbar", { name: "Selection" })).toContainText("1 task selected");
  await expect(lines.first()).toHaveAttribute("data-marked");
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Write the greeting" }).click({ button: "right" });
  await expect(menu.getByRole("button", { name: "Open Enter" })).toBeFocused();
  await menu.getByRole("button", { name: "Status… s" }).click();
  await page.keyboard.type("done");
  await page.keyboard.press("Enter");
  await expect(lines.filter({ hasText: "Write the greeting" })).toContainText("Done");
  await expect(page.getByRole("link", { name: "Write the greeting" })).toBeFocused();

  // A card that changes its column keeps the focus.
  await openWithKeys(page, world.sprint);
  await page.getByRole("link", { name: "Show the greeting" }).focus();
  await page.keyboard.press("s");
  await page.keyboard.type("rev");
  await page.keyboard.press("Enter");
  await expect(column(page, "Review")).toContainText("T-2");
  await expect(page.getByRole("link", { name: "Show the greeting" })).toBeFocused();

  const backlog = `${world.product}/backlog`;
  await post(context, backlog, { intent: "create-pbi", title: "Leave the house" });
  await openWithKeys(page, backlog);
  const pbis = page.locator("[data-line^=pbi]");
  const leave = page.getByRole("link", { name: "Leave the house" });
  await expect(pbis.last()).toContainText("Leave the house");
  await leave.focus();
  await page.keyboard.press("Alt+ArrowUp");
  await expect(pbis.first()).toContainText("Leave the house");
  await expect(leave).toBeFocused();
  await pbis.last().getByRole("link").first().focus();
  await page.keyboard.press("Escape");
  await pbis.last().locator("[data-row]").focus();
  await page.keyboard.press("m");
  await page.getByRole("button", { name: /^Above PBI-\d+ Leave the house$/ }).click();
  await expect(pbis.last()).toContainText("Leave the house");
  // By the mouse too: on the upper half of a line it goes above it.
  await expect(page.locator("[data-backlog-moves]")).toBeAttached();
  await leave.dragTo(pbis.first(), { targetPosition: { x: 200, y: 4 } });
  await expect(pbis.first()).toContainText("Leave the house");
});

test("A key right after Esc acts on the page, not on the dialog that has just closed", async ({ browser }) => {
  const { context } = await newPerson(browser);
  const world = await newWorld(context);
  const page = await context.newPage();
  await openWithKeys(page, `${world.product}/backlog`);
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toBeVisible();
  // Both in one frame, as a fast hand does it: the closed dialog has the focus until the next one.
  await page.getByRole("dialog").evaluate((dialog) => {
    if (!(dialog instanceof HTMLDialogElement)) return;
    dialog.close();
    const key = new KeyboardEvent("keydown", { key: "j", bubbles: true, cancelable: true });
    dialog.querySelector("button")?.dispatchEvent(key);
  });
  await expect(page.locator("[data-row]").first()).toBeFocused();
});
