import { expect, type Page } from "@playwright/test";
import { openLive, openWithKeys } from "./places";
import { test } from "./test";
import { newPerson, newWorld, post } from "./world";

const search = (page: Page) => page.getByRole("dialog").getByRole("combobox");

async function ask(page: Page, words: string): Promise<void> {
  await page.keyboard.press("ControlOrMeta+k");
  await expect(search(page)).toBeFocused();
  await page.keyboard.insertText(words);
}

test("A pasted address or a code finds its item first in the palette, and shows its product", async ({ browser }) => {
  const { context } = await newPerson(browser);
  const other = await newWorld(context);
  const world = await newWorld(context);
  await post(context, `${other.product}/backlog`, {
    intent: "create-story",
    pbi_id: other.pbiId,
    title: "Say T-2 aloud",
  });
  await post(context, `${world.product}/backlog`, {
    intent: "create-story",
    pbi_id: world.pbiId,
    title: "Greeting cards",
  });
  const page = await context.newPage();
  const first = page.getByRole("dialog").getByRole("option").first();
  await openLive(page, `${world.product}/backlog`);

  await ask(page, `https://example.org/tasks/${other.taskIds[1]}?tab=1`);
  await expect(first).toContainText("Show the greeting");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/tasks/${other.taskIds[1]}$`));

  await openLive(page, `${world.product}/backlog`);
  await ask(page, "t-2");
  await expect(first).toContainText(/^T-2Show the greetingtask in /);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/tasks/${world.taskIds[1]}$`));

  // A letter and a space narrow to one kind.
  await openLive(page, `${world.product}/backlog`);
  for (const [words, line, group] of [
    ["s greeting", "Greeting cards", "Found"],
    ["g budgets", "Budgets and automation", "Go to"],
    ["n story", "New story", "Create"],
  ] as const) {
    await ask(page, words);
    await expect(first).toContainText(line);
    await expect(page.getByRole("dialog").getByRole("group")).toHaveCount(1);
    await expect(page.getByRole("dialog").getByRole("group", { name: group })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toBeHidden();
  }

  // Both products have greetings: those of this one come first.
  await openLive(page, `${world.product}/backlog`);
  await ask(page, "greeting");
  const hits = page
    .getByRole("dialog")
    .getByRole("option")
    .filter({ hasText: / in LOOM/ });
  await expect(hits).toHaveCount(9);
  const codes = (await hits.allTextContents()).map((hit) => hit.split(" in ").at(-1));
  expect(codes).toEqual([...Array(5).fill(codes[0]), ...Array(4).fill(codes[8])]);
});

test("The palette ranks actions before items that mention them, on every page", async ({
  owner,
  world,
  ownPage: page,
}) => {
  for (const title of ["Complete the greeting", "Dark greetings"]) {
    await post(owner.context, `${world.product}/backlog`, { intent: "create-story", pbi_id: world.pbiId, title });
  }
  const chosen = page.getByRole("dialog").locator("[role=option][aria-selected=true]");
  await openLive(page, `${world.product}/backlog`);
  await ask(page, "dark");
  await expect(page.getByRole("option", { name: /Dark greetings/ })).toBeVisible();
  await expect(chosen).toHaveText("Dark");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();

  for (const [words, line] of [
    ["invite", "Invite members"],
    ["lesson", "Lessons"],
    ["budget", "Budgets and automation"],
    ["markdown", "Paste a list"],
    ["log out", "Sign out"],
    ["import", "Import stories"],
  ] as const) {
    await ask(page, words);
    await expect(page.getByRole("option", { name: line })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toBeHidden();
  }

  await ask(page, "complete");
  await expect(chosen).toContainText("Complete sprint");
  // Later hits are below it, so that what Enter takes stays in view.
  await expect(page.getByRole("option", { name: /Complete the greeting/ })).toBeAttached();
  await expect(page.getByRole("dialog").getByRole("option").first()).toHaveText(/Complete sprint/);
  await expect(chosen).toBeInViewport();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alertdialog")).toContainText("Complete SP-1?");
  await page.keyboard.press("Escape");

  await openLive(page, `${world.product}/backlog`);
  await ask(page, "start run");
  await expect(chosen).toContainText("Start run");
  await page.keyboard.press("Enter");
  const start = page.getByRole("button", { name: /^Start run of/ });
  await expect(page.getByRole("checkbox", { name: /^Stop each task at/ })).toBeChecked();
  await expect(start).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: /^Run of sprint SP-1/ })).toBeVisible();
});

test("The palette suggests what a typo is near to, and a story with the text that nothing has", async ({
  world,
  ownPage: page,
}) => {
  await openLive(page, `${world.product}/backlog`);
  await ask(page, "isnights");
  const dialog = page.getByRole("dialog");
  const before = await dialog.boundingBox();
  await expect(dialog.getByRole("status")).toContainText("Nothing has these words");
  expect(await dialog.boundingBox()).toEqual(before);
  await expect(dialog.getByRole("option").first()).toContainText("Insights");
  await dialog.getByRole("option", { name: "New story “isnights”" }).click();
  await expect(page.getByRole("complementary").getByLabel("Title")).toHaveValue("isnights");
});

test("a key right after Esc opens the palette again", async ({ world, ownPage: page }) => {
  await openLive(page, `${world.product}/backlog`);
  await ask(page, "dark");
  // Esc and the next key, with no task of the browser in between.
  await page.evaluate(async () => {
    document.querySelector<HTMLDialogElement>("dialog[open]")?.requestClose();
    await Promise.resolve();
    const key = { key: "k", code: "KeyK", ctrlKey: true, bubbles: true };
    document.body.dispatchEvent(new KeyboardEvent("keydown", key));
  });
  await expect(search(page)).toHaveValue("");
  await expect(search(page)).toBeFocused();
});

test("Shift T switches between light and dark", async ({ world, ownPage: page }) => {
  await openWithKeys(page, `${world.product}/backlog`);
  await page.keyboard.press("Shift+T");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.keyboard.press("Shift+T");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
});

test("The palette has every action of a row's menu", async ({ world, ownPage: page }) => {
  await openWithKeys(page, `${world.product}/backlog`);
  const row = page.getByRole("link", { name: "Show the greeting" });
  await row.click({ button: "right" });
  const lines = page.getByRole("group", { name: "Actions for T-2" }).getByRole("button").locator("span:first-child");
  await expect(lines).toContainText(["Copy link"]);
  const actions = (await lines.allTextContents()).filter((label) => label !== "Open");
  await page.keyboard.press("Escape");
  await row.focus();
  await ask(page, "");
  const offered = page.getByRole("dialog").getByRole("option");
  for (const label of actions) await expect(offered.filter({ hasText: new RegExp(`^${label}`) }).first()).toBeVisible();
});

test("the palette acts on the row under the mouse or with the focus, once for each action", async ({ browser }) => {
  const { name, context } = await newPerson(browser);
  const world = await newWorld(context);
  await post(context, `${world.product}/settings`, { intent: "create-label", name: "Warm", color: "#22c55e" });
  const page = await context.newPage();
  for (const [address, how] of [
    [`${world.product}/backlog`, "hover"],
    [world.sprint, "focus"],
  ] as const) {
    await openWithKeys(page, address);
    const row = page.getByRole("link", { name: "Show the greeting" });
    for (const [words, menu, option] of [
      ["priority", "Priority of T-2", "2 High"],
      ["assignee", "Assignee of T-2", name],
      ["labels", "Labels of T-2", "Warm"],
      ["status", "Status of T-2", "To do"],
    ] as const) {
      // A browser takes the first place of a mouse for no movement.
      if (how === "hover") await row.hover({ position: { x: 8, y: 8 } });
      await (how === "hover" ? row.hover() : row.focus());
      await ask(page, words);
      const named = new RegExp(`^${words}`, "i");
      await expect(page.getByRole("option", { name: named })).toHaveCount(1);
      await page.keyboard.press("Enter");
      const choices = page.getByRole("group", { name: menu });
      const changed = page.waitForResponse((answer) => answer.url().includes("/changes"));
      await choices.getByRole("button", { name: option }).click();
      expect((await changed).status()).toBe(200);
      await expect(choices).toBeHidden();
    }
  }
  await page.goto(`/tasks/${world.taskIds[1]}`);
  await expect(page.getByLabel("Priority").locator("option:checked")).toHaveText("2 High");
});
