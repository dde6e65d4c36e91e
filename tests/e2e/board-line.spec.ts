import { expect, type Page } from "@playwright/test";
import { column, openBoard, openLive } from "./places";
import { test } from "./test";
import { newPerson, newWorld, post, signedIn } from "./world";

const topOfFirstCard = (page: Page) =>
  page
    .locator("[data-task]")
    .first()
    .evaluate((card) => card.getBoundingClientRect().top);

test("The first card of the board is in the upper quarter of the window, also during a run", async ({
  owner,
  world,
  ownPage: page,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await openLive(page, world.sprint);
  await expect(page.getByRole("link", { name: "Start run" })).toBeVisible();
  expect(await topOfFirstCard(page)).toBeLessThan(200);

  const made = { intent: "create-task", story_id: world.storyId, title: "Fold the greeting" };
  await post(owner.context, `${world.product}/backlog`, made);
  await expect(column(page, "To do")).toContainText("Fold the greeting");
  await page.getByRole("link", { name: "Start run" }).click();
  await expect(page.getByRole("button", { name: "1 blocker" })).toBeVisible();
  expect(await topOfFirstCard(page)).toBeLessThan(200);
  await page.getByRole("button", { name: "Fix all and start" }).click();
  await expect(page.getByRole("heading", { name: /^Run of sprint SP-1/ })).toBeVisible();

  await openLive(page, world.sprint);
  await expect(page.getByRole("link", { name: "Run: 0 of 4 jobs" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Why it waits" })).toBeVisible();
  expect(await topOfFirstCard(page)).toBeLessThan(200);
});

test("The plus of a column and the key c create task after task in the column and story of the selected card", async ({
  world,
  ownPage: page,
}) => {
  await openBoard(page, world.sprint);
  await page.getByRole("link", { name: "New task in Review" }).click();
  const title = page.getByRole("textbox", { name: /^Title of the new task in/ });
  await expect(title).toBeFocused();
  await page.keyboard.type("Sign the greeting");
  await page.keyboard.press("Enter");
  await expect(column(page, "Review")).toContainText("Sign the greeting");
  await expect(title).toBeFocused();
  await page.keyboard.type("Send the greeting");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("region", { name: "Review: 2" })).toContainText("T-5");
  await page.keyboard.press("Escape");
  await expect(title).toBeHidden();

  await page.getByRole("link", { name: "Send the greeting" }).focus();
  await page.keyboard.press("c");
  await expect(title).toHaveAccessibleName("Title of the new task in Review");
  await expect(title).toHaveValue("");
  await page.keyboard.press("Escape");

  await page.reload();
  await expect(column(page, "Review")).toContainText("Send the greeting");
});

test("Without script, the plus of a column opens the form for a new task", async ({ browser, owner, world }) => {
  const context = await signedIn(browser, owner.name, { javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(world.sprint);
  await page.getByRole("link", { name: "New task in To do" }).click();
  await page.getByRole("textbox", { name: "Title of the new task in To do" }).fill("Fold it");
  await page.getByRole("button", { name: "Add task" }).click();
  await expect(page.getByRole("region", { name: "To do: 4" })).toContainText("Fold it");
});

test("A column that a person collapsed stays collapsed for them, and takes cards", async ({ world, ownPage: page }) => {
  await openBoard(page, world.sprint);
  await page.getByRole("button", { name: "Collapse To do" }).click();
  await expect(page.getByRole("link", { name: "Write the greeting" })).toBeHidden();
  await expect(page.getByRole("region", { name: "To do: 3" })).toBeVisible();
  await openBoard(page, world.sprint);
  await expect(page.getByRole("link", { name: "Write the greeting" })).toBeHidden();
  await page.getByRole("button", { name: "Expand To do" }).click();
  await page.getByRole("button", { name: "Collapse Done" }).click();
  await page.getByText("Write the greeting").dragTo(column(page, "Done"));
  await expect(page.getByRole("region", { name: "Done: 1" })).toBeVisible();
});

test("On a phone the board opens where the work is, and counts the cards of other columns", async ({ browser }) => {
  const owner = await newPerson(browser);
  const world = await newWorld(owner.context);
  for (const id of world.taskIds.slice(0, 2)) {
    await post(owner.context, world.sprint, { intent: "move-task", task_id: id, status: "done" });
  }
  const [, , last = ""] = world.taskIds;
  await post(owner.context, world.sprint, { intent: "move-task", task_id: last, status: "review" });
  const context = await signedIn(browser, owner.name, { viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  await openLive(page, world.sprint);
  await expect(page.getByRole("link", { name: "Check the greeting" })).toBeInViewport();
  await expect(page.getByRole("link", { name: "Write the greeting" })).not.toBeInViewport({ ratio: 0.5 });
  await page.getByRole("button", { name: "Show Done: 2" }).click();
  await expect(page.getByRole("link", { name: "Write the greeting" })).toBeInViewport({ ratio: 0.9 });
});
