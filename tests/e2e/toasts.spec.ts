import { expect, type Page } from "@playwright/test";
import { hold, openBoard, openLive, openWithKeys } from "./places";
import { test } from "./test";
import { newPerson, newWorld, post } from "./world";

const sizes = [
  ["desktop", { width: 1280, height: 800 }],
  ["phone", { width: 390, height: 844 }],
] as const;

/** The names of what can be pressed and lies below a message; nothing is covered by a message that has gone. */
const covered = (page: Page) =>
  page.evaluate(() => {
    const region = document.querySelector("[aria-label=Notifications]");
    const cards = [...(region?.querySelectorAll("p") ?? [])].map((text) => text.parentElement?.getBoundingClientRect());
    if (cards.length === 0) return "no message";
    return [...document.querySelectorAll("button, a[data-button], input, select, summary")]
      .filter((element) => !region?.contains(element) && element.checkVisibility())
      .filter((element) => {
        const box = element.getBoundingClientRect();
        return (
          box.width > 1 &&
          cards.some(
            (card) =>
              card && box.left < card.right && card.left < box.right && box.top < card.bottom && card.top < box.bottom,
          )
        );
      })
      .map((element) => element.getAttribute("aria-label") ?? element.textContent);
  });

for (const [name, viewport] of sizes) {
  test(`On a ${name} no message covers what can be pressed`, async ({ browser }) => {
    const { context } = await newPerson(browser, { viewport });
    const world = await newWorld(context);
    const backlog = `${world.product}/backlog`;
    for (let index = 0; index < 12; index++) {
      await post(context, backlog, { intent: "create-story", pbi_id: world.pbiId, title: `Wave ${index}` });
    }
    const page = await context.newPage();
    await openWithKeys(page, backlog);
    await page.getByRole("link", { name: "Wave 3" }).focus();
    await page.keyboard.press("x");
    await page.getByRole("link", { name: "Wave 4" }).focus();
    await page.keyboard.press("x");
    await expect(page.getByRole("toolbar", { name: "Selection" })).toContainText("2 stories");
    await page.keyboard.press("p");
    await page
      .getByRole("group", { name: /^Priority/ })
      .getByText("1 Urgent")
      .click();
    await expect(page.getByText("2 updated")).toBeVisible();
    await expect.poll(() => covered(page)).toEqual([]);
    // What comes below it later makes it go.
    await page.keyboard.press("Escape");
    await page.goto(`${backlog}?panel=story:${world.storyId}`);
    await page.getByLabel("Priority").selectOption("1 Urgent");
    await expect(page.getByRole("button", { name: "Undo", exact: true })).toBeVisible();
    await expect.poll(() => covered(page)).toEqual([]);
  });
}

test("an Undo that was used by its key disappears", async ({ world, ownPage: page }) => {
  await openBoard(page, world.sprint);
  const undo = page.getByRole("button", { name: "Undo", exact: true });
  await page.getByRole("link", { name: "Show the greeting" }).focus();
  await page.keyboard.press("p");
  await page
    .getByRole("group", { name: /^Priority/ })
    .getByText("1 Urgent")
    .click();
  await expect(undo).toBeVisible();
  await page.keyboard.press("ControlOrMeta+z");
  const shown = () =>
    page.evaluate(() => {
      const said = document.querySelector("[aria-label=Notifications]")?.textContent ?? "";
      return { undone: said.includes("Undone"), offered: /Undo(?!ne)/.test(said) };
    });
  await expect.poll(shown).toEqual({ undone: true, offered: false });
});

test("Each undo takes back one change more, in the inbox too", async ({ owner: { context }, world, ownPage: page }) => {
  for (const task_id of world.taskIds.slice(0, 2))
    await post(context, "/changes", { thing: `task:${task_id}`, status: "review" });
  await openLive(page, "/inbox");
  const rows = page.getByRole("list", { name: "Inbox" }).getByRole("link");
  const press = async (key: string, left: number) => {
    await page.keyboard.press(key);
    await expect(rows).toHaveCount(left);
  };
  await expect(rows).toHaveCount(2);
  await press("e", 1);
  await press("e", 0);
  await press("ControlOrMeta+z", 1);
  await press("ControlOrMeta+z", 2);
  // Also what is still on its way: the row leaves before the service has answered.
  const letGo = await hold(page, /_data=/, (request) => request.method() === "POST");
  await press("e", 1);
  await press("e", 0);
  await page.keyboard.press("ControlOrMeta+z");
  letGo();
  await expect(rows).toHaveCount(1);
  await press("ControlOrMeta+z", 2);
});
