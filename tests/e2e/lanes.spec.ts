import { type BrowserContext, expect, type Page } from "@playwright/test";
import { openBoard, openLive } from "./places";
import { test } from "./test";
import { newPerson, newWorld, post, signedIn, type World } from "./world";

const lane = (page: Page, name: string | RegExp) =>
  page.getByRole("region", { name: "Board" }).getByRole("region", { name });
const cell = (page: Page, name: string | RegExp, column: string) =>
  lane(page, name).getByRole("group", { name: new RegExp(`^${column}: `) });

/** All lanes are in sight: no one scrolls between pressing and moving, as the test's hand would. */
async function newPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.setViewportSize({ width: 1280, height: 1600 });
  return page;
}

/** A second story with one task in the sprint of the world. */
async function withSecondStory(context: BrowserContext, world: World): Promise<void> {
  const backlog = `${world.product}/backlog`;
  const made = await post(context, backlog, { intent: "create-story", pbi_id: world.pbiId, title: "Say goodbye" });
  const story_id = /([0-9a-f-]{36})$/.exec(made)?.[1] ?? "";
  await post(context, backlog, { intent: "create-task", story_id, title: "Write the farewell" });
  await post(context, world.sprint, { intent: "add-story", sprint_id: world.sprintId, story_id });
}

test("A card dragged into another lane takes that lane's value for everyone, and can be dragged back", async ({
  owner: { name, context },
  world,
}) => {
  await withSecondStory(context, world);
  const page = await newPage(context);
  const second = await newPage(context);
  await openBoard(page, `${world.sprint}?group=story`);
  await openLive(second, `${world.sprint}?group=story`);
  // Behind another tab a page draws once a second, and a hand that moves over it waits for each.
  await page.bringToFront();
  await expect(lane(page, /See a greeting/)).toContainText("0 of 3 done");

  const check = page.getByRole("link", { name: "Check the greeting" });
  await check.dragTo(cell(page, /Say goodbye/, "Review"));
  await expect(cell(page, /Say goodbye/, "Review")).toContainText("T-3");
  await expect(cell(second, /Say goodbye/, "Review")).toContainText("T-3");
  await expect(page.getByText("Saved")).toBeVisible();
  await page.keyboard.press("ControlOrMeta+z");
  await expect(cell(page, /See a greeting/, "To do")).toContainText("T-3");
  await expect(cell(second, /See a greeting/, "To do")).toContainText("T-3");

  // On the name of a lane without cards it keeps its column.
  await openBoard(page, `${world.sprint}?group=priority`);
  const show = page.getByRole("link", { name: "Show the greeting" });
  await show.dragTo(page.locator("[data-lane='1']"));
  await expect(cell(page, "1 Urgent", "To do")).toContainText("T-2");
  await expect(page.getByText("Saved").last()).toBeVisible();

  // Anyone who gets a task gets its story, told while the card is over the lane.
  await openBoard(page, `${world.sprint}?group=assignee`);
  const mine = page.locator(`[data-lane="${name}"]`);
  await page.getByRole("link", { name: "Write the greeting" }).hover();
  await page.mouse.down();
  await mine.hover();
  await mine.hover();
  await expect(page.getByText(/All 3 tasks of ST-\d+ are assigned to /)).toBeVisible();
  await page.mouse.up();
  await expect(lane(page, name)).toContainText("0 of 3 done");
  await expect(lane(page, "Unassigned")).toContainText("T-4");
});

test("A board of lanes by worker says before a drop why a card cannot go there", async ({ owner, world }) => {
  const page = await newPage(owner.context);
  await openBoard(page, `${world.sprint}?group=worker`);
  // Within its lane it moves as ever.
  const write = page.getByRole("link", { name: "Write the greeting" });
  await write.dragTo(cell(page, "No worker", "Review"));
  await expect(cell(page, "No worker", "Review")).toContainText("T-1");
  await page.getByRole("link", { name: "Show the greeting" }).hover();
  await page.mouse.down();
  const failed = cell(page, "No worker", "Failed");
  await failed.hover();
  await failed.hover();
  await expect(lane(page, "No worker")).toContainText("Only a failed job can move a task to Failed");
  await page.mouse.up();
  await expect(cell(page, "No worker", "To do")).toContainText("T-2");
});

test("Lanes fold by a click or the key t, and a saved view remembers which are folded", async ({ browser }) => {
  const { name, context } = await newPerson(browser);
  const world = await newWorld(context);
  await withSecondStory(context, world);
  const page = await newPage(context);
  await openBoard(page, `${world.sprint}?group=story`);
  const card = page.getByRole("link", { name: "Write the greeting" });
  const head = page.getByRole("link", { name: /See a greeting/ }).first();

  await card.focus();
  await page.keyboard.press("t");
  await expect(card).toBeHidden();
  await expect(head).toBeFocused();
  await expect(head).toHaveAttribute("aria-expanded", "false");
  await expect(page).toHaveURL(/fold=ST-001/);
  await page.keyboard.press("t");
  await expect(card).toBeVisible();
  await head.click();
  await expect(card).toBeHidden();
  // A card on a folded lane goes there too.
  await page.getByRole("link", { name: "Write the farewell" }).dragTo(head);
  await expect(lane(page, /See a greeting/)).toContainText("0 of 4 done");

  await expect(page.getByText("Saved")).toBeVisible();

  await page.keyboard.press("Alt+v");
  await expect(page.getByLabel("View name")).toBeFocused();
  await page.keyboard.type("Without greetings");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "View: Without greetings" })).toBeVisible();
  await openBoard(page, world.sprint);
  await expect(card).toBeVisible();
  await page.keyboard.press("v");
  await page.getByRole("link", { name: "Without greetings" }).click();
  await expect(card).toBeHidden();
  await expect(head).toHaveAttribute("aria-expanded", "false");

  // The same as a list.
  await page.getByRole("button", { name: "Display" }).click();
  await page.getByLabel("Layout", { exact: true }).selectOption("list");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("region", { name: "Tasks" })).toBeVisible();
  await expect(card).toBeHidden();
  await expect(page.locator("[data-lane-keys]")).toBeAttached();
  await head.focus();
  await page.keyboard.press("t");
  await expect(card).toBeVisible();
  await context.close();

  const without = await signedIn(browser, name, { javaScriptEnabled: false, viewport: { width: 390, height: 800 } });
  const small = await without.newPage();
  await small.goto(`${world.sprint}?group=story&fold=ST-001`);
  await expect(small.getByRole("link", { name: "Write the greeting" })).toBeHidden();
  await small
    .getByRole("link", { name: /See a greeting/ })
    .first()
    .click();
  await expect(small.getByRole("link", { name: "Write the greeting" })).toBeVisible();
  await without.close();
});

test("Keys move a card through columns and lanes, and the board says why a lane takes no card", async ({
  owner,
  world,
}) => {
  await withSecondStory(owner.context, world);
  const page = await newPage(owner.context);
  await openBoard(page, `${world.sprint}?group=story`);
  await page.getByRole("link", { name: "Write the greeting" }).focus();
  await page.keyboard.press("m");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await expect(page.getByText(/Moving T-1 to In progress in ST-002/)).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(cell(page, /Say goodbye/, "In progress")).toContainText("T-1");
  await expect(page.getByRole("link", { name: "Write the greeting" })).toBeFocused();
  await page.keyboard.press("m");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Escape");
  await expect(cell(page, /Say goodbye/, "In progress")).toContainText("T-1");
});

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

test("on a phone a finger carries a card into another lane", async ({ browser, owner, world }) => {
  await withSecondStory(owner.context, world);
  const context = await signedIn(browser, owner.name, phone);
  const page = await context.newPage();
  await openBoard(page, `${world.sprint}?group=story`);
  const card = page.locator(`[data-task="${world.taskIds[2]}"]`);
  await card.evaluate((element) => element.scrollIntoView({ block: "center" }));
  const box = await card.boundingBox();
  const to = await page.locator("[data-lane=ST-002] [data-fold]").boundingBox();
  if (!box || !to) throw new Error("The lanes are not on the page");
  const client = await context.newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", x?: number, y?: number) =>
    client.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: x === undefined || y === undefined ? [] : [{ x, y }],
    });
  const x = box.x + 120;
  await touch("touchStart", x, box.y + box.height - 12);
  await expect(page.locator(".card-lifted")).toBeVisible();
  await touch("touchMove", x, to.y + to.height / 2);
  await expect(page.locator("[data-lane=ST-002][data-drop-target]")).toBeVisible();
  await touch("touchEnd");
  await expect(cell(page, /Say goodbye/, "To do")).toContainText("T-3");
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBe(390);
});
