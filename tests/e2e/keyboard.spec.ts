import { expect } from "@playwright/test";
import { hold, openLive, openWithKeys } from "./places";
import { test } from "./test";
import { newAdministrator, newWorld, signedIn } from "./world";

test("Help, rows, creation, filter and closing of a page are each a key away", async ({ world, ownPage: page }) => {
  await openLive(page, `${world.product}/backlog`);

  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(help).toContainText("Next row");
  await page.keyboard.press("Escape");
  await expect(help).toBeHidden();

  await page.keyboard.press("j");
  await expect(page.locator("[data-row]").first()).toBeFocused();
  await page.keyboard.press("j");
  const second = page.getByRole("link", { name: "See a greeting" });
  await expect(second).toBeFocused();
  for (const key of ["?", "ControlOrMeta+k", "o"]) {
    await page.keyboard.press(key);
    await expect(page.getByRole("dialog")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(second).toBeFocused();
  }
  await page.keyboard.press("Enter");
  await expect(page.getByRole("complementary", { name: "Details" })).toContainText("See a greeting");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("complementary", { name: "Details" })).toBeHidden();

  await page.keyboard.press("c");
  await expect(page.getByRole("heading", { name: "New story" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("heading", { name: "New story" })).toBeHidden();

  await page.keyboard.press("/");
  await page.keyboard.type("check");
  await expect(page.getByText("Check the greeting")).toBeVisible();
  await expect(page.getByText("Write the greeting")).toBeHidden();
  await page.getByRole("link", { name: "Show all" }).click();
  for (const place of [/\/sprints\/[\w-]+$/, /\/backlog(\?|$)/]) {
    await page.keyboard.press("ControlOrMeta+b");
    await expect(page).toHaveURL(place);
  }
});

const places = [
  ["d", "/dashboard"],
  ["i", "/inbox"],
  ["q", "/inbox\\?show=questions"],
  ["l", "/ideas"],
  ["j", "/agents"],
  ["r", "/agents/runs"],
  ["w", "/agents/workers"],
  ["n", "/insights"],
  ["a", "/connect"],
  ["t", "/settings"],
  ["x", "/admin"],
  ["b", "/backlog"],
  ["s", "/sprints"],
  ["o", "/solo"],
  ["m", "/members"],
  ["e", "/settings"],
  ["y", "/triage"],
] as const;

test("The key g and a letter open every main page", async ({ browser }) => {
  const context = await signedIn(browser, await newAdministrator());
  const { product } = await newWorld(context);
  const page = await context.newPage();
  await openLive(page, product);
  for (const [letter, place] of places) {
    await page.keyboard.press("g");
    await page.keyboard.press(letter);
    await expect(page).toHaveURL(new RegExp(`${place}$`));
  }
});

test("the palette finds, goes and creates by keys alone", async ({ world, ownPage: page }) => {
  const search = page.getByRole("dialog").getByRole("combobox");
  await openLive(page, world.sprint);

  await page.keyboard.press("ControlOrMeta+k");
  await expect(search).toBeFocused();
  await page.keyboard.type("show greet");
  const found = page.getByRole("option", { name: /T-2 Show the greeting/ });
  await expect(found).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: /Show the greeting/ })).toBeVisible();

  // What was looked at comes first: this task, and the sprint before it.
  await page.waitForFunction(() => localStorage.getItem("backloom.recent")?.includes("/tasks/"));
  await page.keyboard.press("ControlOrMeta+k");
  await expect(search).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`${world.sprint}$`));

  // Enter in the same moment as the letters, on a machine that is too busy to choose a line before some more frames.
  await page.keyboard.press("ControlOrMeta+k");
  await expect(search).toBeFocused();
  await page.evaluate(() => {
    const post = MessagePort.prototype.postMessage;
    MessagePort.prototype.postMessage = function (this: MessagePort, message: unknown) {
      setTimeout(() => post.call(this, message), 200);
    };
    for (const letter of "members") document.execCommand("insertText", false, letter);
    const enter = { key: "Enter", bubbles: true, cancelable: true };
    document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", enter));
    setTimeout(() => {
      MessagePort.prototype.postMessage = post;
    }, 400);
  });
  await expect(page).toHaveURL(/\/members$/);

  await page.keyboard.press("ControlOrMeta+k");
  await expect(search).toBeFocused();
  await page.keyboard.type("new idea");
  const create = page.getByRole("option", { name: "New idea" });
  await expect(create).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Title")).toBeFocused();
});

test("Keys typed before the palette has loaded end up in its field, and trigger no shortcut", async ({
  world,
  ownPage: page,
}) => {
  const letGo = await hold(page, /assets\/palette-/);
  await openLive(page, `${world.product}/backlog`);
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.press("Escape");
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("create idea");
  letGo();
  await expect(page.getByRole("dialog").getByRole("combobox")).toHaveValue("create idea");
  await expect(page).not.toHaveURL(/panel=/);
});

test("The palette acts on the selection first, and has every action of the page and its menus", async ({
  world,
  ownPage: page,
}) => {
  const options = page.getByRole("dialog").getByRole("option");
  await openWithKeys(page, world.sprint);
  const shown = await page
    .locator("main :is(button, summary):visible:not(:disabled), main [data-menu-item], header [data-menu-item]")
    .evaluateAll((elements) =>
      elements
        .filter((element) => !element.closest("[data-line], [role=toolbar], [data-columns]"))
        .map((element) => element.getAttribute("aria-label") ?? element.textContent ?? "")
        .map((label) => label.replace(/\s+/g, " ").trim()),
    );
  expect(shown).toContain("Sign out");
  expect(shown).toContain("Complete sprint");

  await page.getByRole("link", { name: "Write the greeting" }).focus();
  await page.keyboard.press("x");
  await page.getByRole("link", { name: "Show the greeting" }).focus();
  await page.keyboard.press("x");
  await page.keyboard.press("ControlOrMeta+k");
  await expect(options.first()).toContainText("Status…");
  // What fits without scrolling is drawn first.
  await expect.poll(() => options.count()).toBeGreaterThan(14);
  const offered = await options.allTextContents();
  for (const label of shown) {
    expect(
      offered.some((option) => option.replace(/\s+/g, " ").includes(label)),
      label,
    ).toBe(true);
  }
  const bar = page.getByRole("toolbar", { name: "Selection" });
  for (const label of await bar.getByRole("button").allTextContents()) {
    const words = label.replace(/.$/, "");
    expect(offered.some((option) => option.includes(words)) || label === "Clear", label).toBe(true);
  }
  await page.keyboard.press("Enter");
  await expect(page.getByRole("group", { name: "Status of 2 selected" })).toBeVisible();
  await page.keyboard.type("done");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("region", { name: "Done: 2" })).toBeVisible();
  await page.keyboard.press("ControlOrMeta+k");
  await expect(page.getByRole("dialog").getByRole("combobox")).toBeFocused();
  await page.keyboard.type("undo");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("region", { name: "To do: 3" })).toBeVisible();
});

test("The first stop of the tab key skips the navigation", async ({ ownPage: page }) => {
  await page.goto("/dashboard");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator("main")).toBeFocused();
});
