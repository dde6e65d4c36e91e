import { expect, type Locator } from "@playwright/test";
import { column, openBoard, openWithKeys } from "./places";
import { test } from "./test";
import { newPerson, newWorld, post, signedIn } from "./world";

const topOf = async (row: Locator) => (await row.boundingBox())?.y ?? -1;

test("rows that others add wait while a pointer or the focus is in the list", async ({ browser }) => {
  const { name, context } = await newPerson(browser);
  const world = await newWorld(context);
  const backlog = `${world.product}/backlog`;
  // What the page's own browser sends is its user's; this is someone else's.
  const other = await signedIn(browser, name);
  const page = await context.newPage();
  await openWithKeys(page, backlog);
  const last = page.getByRole("link", { name: "Check the greeting" });
  const addFirst = async (title: string) => {
    const made = await post(other, backlog, { intent: "create-pbi", title });
    const pbi = /([0-9a-f-]{36})$/.exec(made)?.[1] ?? "";
    await other.request.post("/changes", { form: { thing: `pbi:${pbi}`, before_id: world.pbiId } });
  };

  await last.hover();
  const top = await topOf(last);
  await addFirst("Leave the house");
  const fresh = page.getByRole("button", { name: "1 new" });
  await expect(fresh).toBeVisible();
  expect(await topOf(last)).toBe(top);
  await expect(page.getByRole("link", { name: "Leave the house" })).toBeHidden();
  await fresh.click();
  await expect(page.getByRole("link", { name: "Leave the house" })).toBeVisible();
  await expect(fresh).toBeHidden();

  // Anyone who leaves the list alone has them too; so has anyone who walks through it by keys and leaves it.
  await last.hover();
  await addFirst("Wave");
  await expect(fresh).toBeVisible();
  await page.mouse.move(0, 0);
  await expect(page.getByRole("link", { name: "Wave" })).toBeVisible();
  await last.focus();
  await addFirst("Smile");
  await expect(fresh).toBeVisible();
  await last.blur();
  await expect(page.getByRole("link", { name: "Smile" })).toBeVisible();

  // What one does oneself shows at once, wherever the pointer is.
  await last.hover();
  await last.focus();
  await page.keyboard.press("p");
  const urgent = page.getByRole("button", { name: "1 Urgent" });
  await urgent.click();
  // Keys of the page wait until the menu has closed.
  await expect(urgent).toBeHidden();
  await page.locator("[data-line^=pbi]").last().locator("[data-row]").focus();
  await page.keyboard.press("Alt+ArrowUp");
  await expect(page.locator("[data-line^=pbi]").last()).not.toContainText("Greet visitors");
  await other.close();
});

test("a card does not jump away from a pointer that moves over the board", async ({ browser }) => {
  const { name, context } = await newPerson(browser);
  const world = await newWorld(context);
  const other = await signedIn(browser, name);
  const page = await context.newPage();
  await openBoard(page, world.sprint);
  const second = page.locator(`[data-task="${world.taskIds[1]}"]`);
  const box = await second.boundingBox();
  if (!box) throw new Error("The card is not on the page");
  let isHeard = false;
  page.on("response", (response) => {
    if (response.url().includes("_data=") && response.url().includes("sprints_")) isHeard = true;
  });
  const nudge = async (step: number) => page.mouse.move(box.x + 20 + (step % 40), box.y + box.height / 2);
  await nudge(0);
  const [first = ""] = world.taskIds;
  await post(other, world.sprint, { intent: "move-task", task_id: first, status: "review" });
  for (let step = 1, after = 0; after < 12; step++) {
    await nudge(step);
    if (isHeard) after++;
    expect((await second.boundingBox())?.y).toBe(box.y);
  }
  await expect(column(page, "To do")).toContainText("T-1");
  // The pointer rests: what is over it comes down to it.
  await expect(column(page, "Review")).toContainText("T-1");
  await other.close();
});
