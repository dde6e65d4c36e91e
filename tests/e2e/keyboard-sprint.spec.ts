import { expect } from "@playwright/test";
import { keysOf } from "./keys";
import { openLive } from "./places";
import { test } from "./test";
import { callTool, newToken, post } from "./world";

test("A person plans a sprint, removes its blocker, starts its run and cancels it by keys alone", async ({
  owner,
  world,
  ownPage: page,
}) => {
  await post(owner.context, world.sprint, { intent: "complete-sprint" });
  const unplanned = { intent: "create-task", story_id: world.storyId, title: "Sign the greeting" };
  await post(owner.context, `${world.product}/backlog`, unplanned);
  const keys = keysOf(page);
  await openLive(page, `${world.product}/sprints`);
  await keys.press("c");
  await keys.typeInto(page.getByLabel("Goal"), "A plane flies");
  await keys.activate(page.getByRole("button", { name: "Create sprint" }));
  await keys.activate(page.getByRole("button", { name: "Add ST-001" }));
  await keys.activate(page.getByRole("button", { name: "Start sprint" }));
  await keys.activate(page.getByRole("link", { name: "Start run" }));
  await keys.activate(page.getByRole("link", { name: "Open T-4" }));
  await keys.activate(page.getByRole("button", { name: "Edit implementation plan" }));
  await keys.fill(page.getByRole("textbox", { name: /Implementation plan/ }), "1. Sign it");
  await keys.press("ControlOrMeta+Enter");
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  await keys.sequence("g", "s");
  await keys.activate(page.getByRole("link", { name: /A plane flies/ }));
  await keys.activate(page.getByRole("link", { name: "Start run" }));
  await expect(page.getByRole("button", { name: /^Start run of/ })).toBeFocused();
  await keys.press("Enter");
  await expect(page.getByRole("heading", { name: /Run of sprint SP-2/ })).toBeVisible();

  await keys.activate(page.getByRole("button", { name: "Pause run" }));
  await keys.activate(page.getByRole("button", { name: "Resume run", exact: true }));
  // The focus is in the question as soon as it is open: anyone who tabs on at once is not brought back.
  const cancel = page.getByRole("button", { name: "Cancel run", exact: true });
  await keys.tabTo(cancel);
  const focused = await cancel.evaluate((button: HTMLElement) => {
    button.click();
    return document.activeElement?.textContent;
  });
  expect(focused).toBe("Go back");
  await keys.press("Escape");
  await expect(cancel).toBeFocused();
  await keys.press("Enter");
  await keys.activate(page.getByRole("alertdialog").getByRole("button", { name: "Cancel run", exact: true }));
  await expect(page.getByRole("heading", { name: /Run of sprint SP-2/ })).toContainText("Cancelled");
});

test("A person moves a card with its menu by keys alone", async ({ world, ownPage: page }) => {
  const keys = keysOf(page);
  await openLive(page, world.sprint);
  await keys.activate(page.getByRole("button", { name: "Move T-2 to…" }));
  await keys.activate(page.getByRole("button", { name: "Review", exact: true }));
  await expect(page.getByRole("region", { name: "Review: 1" })).toContainText("T-2");
  await keys.tabTo(page.getByRole("button", { name: "Move T-3 to…" }));
  await keys.press("ArrowUp");
  await expect(page.getByRole("button", { name: "Done", exact: true })).toBeFocused();
  await keys.press("Enter");
  await expect(page.getByRole("region", { name: "Done: 1" })).toContainText("T-3");
  // Keys of the page wait until the menu has closed.
  await expect(page.getByRole("button", { name: "Done", exact: true })).toBeHidden();
  // What is filtered away is counted, and the address keeps the look of the board.
  await keys.press("f");
  await keys.typeInto(page.getByLabel("Filter the board"), "-status:done");
  await expect(page.getByText("1 hidden by the filter.")).toBeVisible();
  await expect(page.getByRole("region", { name: "Done: 0" })).toBeVisible();
  await page.getByRole("button", { name: "Display" }).click();
  await page.getByRole("combobox", { name: "Layout" }).selectOption("list");
  await keys.press("Escape");
  await expect(page.getByRole("region", { name: "Tasks" }).getByRole("listitem")).toHaveCount(2);
  await expect(page).toHaveURL(/q=-status%3Adone.*as=list/);
  await keys.activate(page.getByRole("link", { name: "Show all" }));
  await expect(page.getByRole("region", { name: "Tasks" }).getByRole("listitem")).toHaveCount(3);

  // The burndown says its days one by one.
  const day = page.getByRole("slider", { name: "Day" });
  await keys.tabTo(day);
  await keys.press("Home");
  await expect(day).toHaveAttribute("aria-valuetext", / of 3 left$/);
});

test("A person takes a story and unassigns it again by keys alone", async ({ world, ownPage: page }) => {
  const keys = keysOf(page);
  await openLive(page, `${world.product}/solo`);
  await keys.activate(page.getByRole("button", { name: "Assign to me ST-001" }));
  await expect(page.getByRole("region", { name: "To do: 3" })).toBeVisible();
  await keys.activate(page.getByRole("button", { name: "Unassign ST-001" }));
  await expect(page.getByText("No stories assigned to you")).toBeVisible();
});

test("A person answers questions by keys alone", async ({ owner, world, ownPage: page }) => {
  const token = await newToken(owner.context);
  const ask = (question: string, ...labels: string[]) =>
    callTool(owner.context, token, "ask_user_question", {
      story_id: world.storyId,
      question,
      options: labels.map((label) => ({ label })),
    });
  await ask("Which color?");
  await ask("Which words?", "Hello", "Welcome");
  const keys = keysOf(page);
  await openLive(page, "/inbox");
  await expect(page).toHaveTitle("(2) Inbox · Backloom");
  // Enter opens the selected row before anything has the focus, and after a click on a tab.
  await keys.sequence("Enter", "Escape");
  await page.getByRole("link", { name: /^All/ }).click();
  await keys.sequence("Enter", "Escape");
  await expect(page.getByRole("listitem").getByRole("link", { name: /Which/ }).first()).toBeFocused();
  // Put off, and brought back from there; the number in the tab follows.
  await keys.sequence("j", "h");
  await expect(page).toHaveTitle("(1) Inbox · Backloom");
  await keys.press("ControlOrMeta+z");
  await expect(page).toHaveTitle("(2) Inbox · Backloom");
  await keys.sequence("j", "h");
  await expect(page).toHaveTitle("(1) Inbox · Backloom");
  await openLive(page, "/inbox?show=later");
  await keys.activate(page.getByRole("button", { name: "Move to inbox" }));
  await expect(page.getByText("Nothing snoozed")).toBeVisible();
  await keys.sequence("g", "q");
  const rows = page.getByRole("list", { name: "Inbox" }).getByRole("link");
  await expect(rows).toHaveCount(2);
  // Without a focus, 1 is for the first row. Undone by the undo key, and answered again.
  await keys.press("1");
  await expect(page.getByText("The agent gets this")).toBeVisible();
  await keys.press("ControlOrMeta+z");
  await expect(page.getByText("The agent gets this")).not.toBeVisible();
  // The row says what is on its way, and the next card is there at once.
  await keys.sequence("2", "j");
  await expect(rows.first()).toContainText("Welcome");
  await keys.press("Enter");
  await expect(page.getByRole("article")).toContainText("Which color?");
  await expect(page.getByLabel("Your answer")).toBeFocused();
  await keys.typeInto(page.getByLabel("Your answer"), "Green");
  await keys.press("ControlOrMeta+Enter");
  await expect(page.getByText("No open questions")).toBeVisible();
  await keys.activate(page.getByRole("link", { name: "Answered" }));
  await expect(rows).toContainText(["Welcome", "Green"]);
});

test("What was put off can be undone on the next page, too, when its answer comes there", async ({
  owner,
  world,
  ownPage: page,
}) => {
  const token = await newToken(owner.context);
  await callTool(owner.context, token, "ask_user_question", { story_id: world.storyId, question: "Which color?" });
  await openLive(page, "/inbox");
  const keys = keysOf(page);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/_data=routes%2F_app.inbox/, async (route) => {
    if (route.request().method() === "POST") await released;
    await route.continue();
  });
  await keys.press("h");
  await expect(page.getByRole("listitem").getByRole("link", { name: /Which/ })).toBeHidden();
  await keys.sequence("g", "d");
  await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
  release();
  await expect(page.getByText("Snoozed until tomorrow morning")).toBeVisible();
  await keys.press("ControlOrMeta+z");
  await expect(page.getByText("Moved to your inbox")).toBeVisible();
});
