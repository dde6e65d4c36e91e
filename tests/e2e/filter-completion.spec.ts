import { expect, type Page } from "@playwright/test";
import { findingsInBothThemes } from "./axe";
import { openWithKeys } from "./places";
import { test } from "./test";
import { newPerson, newWorld, post } from "./world";

const list = (page: Page) => page.getByRole("listbox", { name: "Filter suggestions" });
const options = (page: Page) => list(page).getByRole("option");

test("Keys complete a filter in the backlog and on the board, and Shift F clears it", async ({ browser }) => {
  const { name, context } = await newPerson(browser);
  const world = await newWorld(context);
  await post(context, `${world.product}/settings`, { intent: "create-label", name: "Needs design", color: "#22c55e" });
  const page = await context.newPage();
  await openWithKeys(page, `${world.product}/backlog`);
  await page.keyboard.press("f");
  const field = page.getByLabel("Filter by code, title, label or person");
  await expect(field).toHaveRole("combobox");
  await page.keyboard.type("la");
  await expect(options(page)).toHaveText(["label:"]);
  // Nothing is chosen yet: Enter would look for the word itself.
  await expect(field).not.toHaveAttribute("aria-activedescendant");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(field).toHaveValue("label:");
  await expect(options(page)).toHaveText(["Needs design", "None"]);
  expect(await findingsInBothThemes(page, "[role=search]")).toEqual([]);
  // A label's name alone is suggested, too, and found as a word.
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("needs");
  await expect(options(page)).toHaveText(["label: Needs design"]);
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("label:");
  await page.keyboard.type("nee");
  await page.keyboard.press("Enter");
  await expect(field).toHaveValue("label:needs-design ");
  await expect(list(page)).toBeHidden();
  await expect(page).toHaveURL(/q=label%3Aneeds-design/);
  // Somewhere else and back again.
  await page.getByRole("link", { name: "Sprints", exact: true }).click();
  await expect(page).toHaveURL(/sprints$/);
  await page.getByRole("link", { name: "Backlog", exact: true }).click();
  await expect(page).toHaveURL(/q=label%3Aneeds-design/);
  await expect(page.getByText("Nothing matches")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Shift+F");
  await expect(page.getByRole("link", { name: "Write the greeting" })).toBeVisible();
  await expect(field).toHaveValue("");

  await openWithKeys(page, world.sprint);
  const ofBoard = page.getByLabel("Filter the board");
  await page.keyboard.press("f");
  await expect(ofBoard).toHaveRole("combobox");
  await page.keyboard.type("-status:to");
  const chosen = list(page).getByRole("option", { selected: true });
  await expect(chosen).toHaveText("To do");
  await page.keyboard.press("Enter");
  await expect(page.getByText("3 hidden by the filter.")).toBeVisible();
  await expect(ofBoard).toHaveValue("-status:todo ");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("assignee:");
  await expect(options(page)).toHaveText(["Me", name, "No one"]);
  await page.keyboard.press("ArrowUp");
  await expect(chosen).toHaveText("No one");
  // The first Esc is for the list, the second for the field.
  await page.keyboard.press("Escape");
  await expect(list(page)).toBeHidden();
  await expect(ofBoard).toBeFocused();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("priority:<");
  await options(page).filter({ hasText: "Low" }).click();
  await expect(ofBoard).toHaveValue("priority:<4 ");
  await expect(ofBoard).toBeFocused();
});
