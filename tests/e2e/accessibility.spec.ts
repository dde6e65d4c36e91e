import { type BrowserContextOptions, expect, type Page } from "@playwright/test";
import { findingsInBothThemes } from "./axe";
import { openWithKeys, places, placesOf } from "./places";
import { test } from "./test";
import { callTool, newPerson, newToken, newWorld, post, signedIn } from "./world";

const desktop = { viewport: { width: 1280, height: 860 } };
const phone = { viewport: { width: 390, height: 844 }, isMobile: true };
const parts: readonly [about: string, options: BrowserContextOptions, tag: string[]][] = [
  ["any page of a product on a desktop", desktop, []],
  ["any page of a person on a desktop", desktop, ["@thorough"]],
  ["any page of a product on a phone", phone, ["@thorough"]],
  ["any page of a person on a phone", phone, ["@thorough"]],
];

/** Fields into which a phone would zoom. */
const smallFields = (page: Page) =>
  page
    .locator("input:not([type=checkbox], [type=radio], [type=hidden], [type=file]), select, textarea")
    .evaluateAll((fields) =>
      fields
        .filter((field) => Number.parseFloat(getComputedStyle(field).fontSize) < 16)
        .map((field) => field.outerHTML.slice(0, 120)),
    );

for (const [about, options, tag] of parts) {
  test(`axe finds nothing on ${about}, which fits its window without zoom (light and dark)`, { tag }, async ({
    browser,
  }) => {
    test.setTimeout(180_000);
    const owner = await newPerson(browser);
    const world = await newWorld(owner.context);
    const run = await post(owner.context, world.sprint, { intent: "start-run" });
    await post(owner.context, run, { intent: "cancel" });
    const thought = { title: "Greet in rhymes", product_id: world.productId };
    const idea = await post(owner.context, "/ideas", thought);
    const token = await newToken(owner.context);
    await callTool(owner.context, token, "ask_user_question", {
      story_id: world.storyId,
      question: "Which words?",
      options: [{ label: "Hello", description: "Short" }],
    });
    const context = await signedIn(browser, owner.name, { ...options, reducedMotion: "reduce" });
    const page = await context.newPage();
    const look = async (place: string) => {
      await page.goto(place);
      expect.soft(await findingsInBothThemes(page), place).toEqual([]);
      const tooWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
      expect.soft(tooWide, `${place} is wider than the window`).toBe(false);
      if (options.isMobile) expect.soft(await smallFields(page), place).toEqual([]);
    };
    if (about.includes("a product")) {
      for (const place of [...placesOf(world), run]) await look(place);
    } else {
      for (const place of [...places, idea]) await look(place);
      await context.clearCookies();
      for (const place of ["/login", "/register", "/recover", "/m/pair"]) await look(place);
    }
  });
}

const menu = ".popover:popover-open";
const dialog = "dialog[open]";
const panel = "[data-side-panel]";
const press = (keys: string) => (page: Page) => page.keyboard.press(keys);
const click = (name: string | RegExp) => (page: Page) => page.getByRole("button", { name, exact: true }).click();

/** What opens over the board and the backlog: its name, the part that it is, and how it opens from a focused row. */
const opened: readonly [name: string, part: string, open: (page: Page) => Promise<void>][] = [
  ["palette", dialog, press("ControlOrMeta+k")],
  ["keys", dialog, press("?")],
  ["account", menu, click(/account and appearance/)],
  ["shown", menu, click("Display")],
  ["views", menu, click("Views")],
  ["priority", menu, press("p")],
  ["waits for", menu, press("b")],
  ["row", menu, (page) => page.getByRole("link", { name: "Show the greeting" }).click({ button: "right" })],
  ["peek", panel, press("Space")],
  ["selection", "[role=toolbar]", press("x")],
];

for (const about of ["what opens over the board", "what opens over the backlog"]) {
  test(`axe finds nothing in ${about} (light and dark)`, { tag: "@thorough" }, async ({ browser }) => {
    const owner = await newPerson(browser);
    const world = await newWorld(owner.context);
    const context = await signedIn(browser, owner.name, { reducedMotion: "reduce" });
    const page = await context.newPage();
    const look = async (name: string, part: string) => {
      await expect(page.locator(part)).toBeVisible();
      expect.soft(await findingsInBothThemes(page, part), name).toEqual([]);
    };
    const isBoard = about.endsWith("the board");
    await openWithKeys(page, isBoard ? world.sprint : `${world.product}/backlog`);
    for (const [name, part, open] of opened) {
      await page.getByRole("link", { name: "Show the greeting" }).focus();
      await open(page);
      await look(name, part);
      await page.keyboard.press("Escape");
      await expect(page.locator(part)).toBeHidden();
    }
    if (isBoard) {
      await page.getByRole("button", { name: "SP-1: dates, review and more" }).click();
      await page.getByRole("button", { name: "Complete sprint" }).click();
      await look("confirm", `${menu}[role=alertdialog]`);
    } else {
      await page.getByRole("link", { name: "Paste a list" }).click();
      await page.getByRole("textbox", { name: "List" }).fill("- Fold it\n  - Find the middle");
      await expect(page.getByRole("button", { name: "Create 1 story and 1 task" })).toBeVisible();
      await look("paste", panel);
    }
  });
}
