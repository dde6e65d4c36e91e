import { expect } from "@playwright/test";
import { column, openWithKeys } from "./places";
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

  await page.getByRole("link", { name: "Say goodbye" }).focus();
  await page.keyboard.press("x");
  // A range by pointer, from the one that was selected last.
  await page.getByRole("link", { name: "Wave a hand" }).click({ modifiers: ["Shift"] });
  const bar = page.getByRole("toolbar", { name: "Selection" });
  await expect(bar).toContainText("2 stories selected");
  await bar.getByRole("button", { name: "Move" }).click();
  await page.getByRole("group", { name: "Move 2 selected" }).getByText("SP-1").click();
  await expect(page.getByText("2 changed")).toBeVisible();
  const inSprint = page.locator("[data-line^=story]").filter({ hasText: "SP-1" });
  await expect(inSprint).toHaveCount(3);
  await page.keyboard.press("ControlOrMeta+z");
  await expect(page.getByText(/^Taken back: sprint of ST-00\d and ST-00\d$/)).toBeVisible();
  await expect(inSprint).toHaveCount(1);

  // All of them dragged together, with their number at the pointer.
  await page
    .getByRole("link", { name: "Say goodbye" })
    .dragTo(page.getByRole("region", { name: "Open sprints" }).getByRole("link"));
  await expect(inSprint).toHaveCount(3);
  await page.keyboard.press("Escape");
  await expect(bar).toBeHidden();
  await context.close();
});

test("whoever types faster than the page draws keeps the focus", async ({ browser }) => {
  const { context } = await newPerson(browser);
  const world = await newWorld(context);
  const page = await context.newPage();
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
  await context.close();
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

  // Space opens it beside the list, arrows change its content, and the focus never leaves the list.
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
  await expect(page.getByLabel("Who has it").locator("option:checked")).toHaveText(name);

  await page.goto("/settings");
  await page.getByLabel("Single letters are keys").uncheck();
  await openWithKeys(page, `${world.product}/backlog`);
  await page.getByRole("link", { name: "Show the greeting" }).focus();
  await page.keyboard.press("s");
  await page.keyboard.press("x");
  await expect(page.getByRole("toolbar", { name: "Selection" })).toBeHidden();
  await expect(page.getByRole("group", { name: /Status of/ })).toBeHidden();
  await context.close();
});

test("cards are selected together, dragged together, and peeked at beside the board", async ({
  browser,
}) => {
  const { context } = await newPerson(browser);
  const world = await newWorld(context);
  const page = await context.newPage();
  await openWithKeys(page, world.sprint);
  await page.getByRole("button", { name: "Select", exact: true }).click();
  await page.getByRole("link", { name: "Write the greeting" }).click();
  await page.getByRole("link", { name: "Check the greeting" }).click();
  await expect(page.getByRole("toolbar", { name: "Selection" })).toContainText("2 tasks selected");
  await page.getByText("Write the greeting").dragTo(column(page, "Review"));
  await expect(column(page, "Review")).toContainText("T-1");
  await expect(column(page, "Review")).toContainText("T-3");
  await expect(column(page, "To do")).toContainText("T-2");
  await expect(page.getByText("2 changed")).toBeVisible();
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
  await context.close();
});

test("a focused card goes straight to a column by its number", async ({ browser }) => {
  const { context } = await newPerson(browser);
  const world = await newWorld(context);
  const page = await context.newPage();
  await openWithKeys(page, world.sprint);
  await page.locator(`[data-task-id="${world.taskIds[0]}"]`).focus();
  await page.keyboard.press("3");
  await expect(page.getByRole("region", { name: "Review: 1" })).toContainText("T-1");
  await context.close();
});
