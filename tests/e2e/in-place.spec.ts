import { expect } from "@playwright/test";
import { expectLive, openWithKeys } from "./places";
import { test } from "./test";
import { post } from "./world";

test("A click on a story's text edits it in place; leaving keeps what was typed, saving formats it", async ({
  owner,
  world,
  ownPage: page,
}) => {
  const story = `/stories/${world.storyId}`;
  const description = page.getByRole("region", { name: "Description" });
  const text = description.getByRole("textbox");
  const editors = page.locator("[data-editable]").getByRole("textbox");
  await openWithKeys(page, story);
  await expect(editors).toHaveCount(0);

  await page.keyboard.press("e");
  await expect(page.getByRole("textbox", { name: "Title" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(editors).toHaveCount(0);

  await description.getByText("It names").click();
  await expect(text).toHaveValue("It names **me**.");
  await text.fill("It names *everyone*.");
  await page.keyboard.press("Escape");
  await expect(text).toBeHidden();
  await expect(description).toContainText("It names me.");
  await description.getByRole("button", { name: "Go on with description" }).click();
  await expect(text).toHaveValue("It names *everyone*.");

  // Someone else saves: what is typed here stays, and says so.
  await post(owner.context, story, { intent: "update", description: "It names no one." });
  await expect(description).toContainText("Someone else changed this");
  await expect(text).toHaveValue("It names *everyone*.");
  await text.press("Control+Enter");
  await expect(description.getByRole("button", { name: "Replace theirs" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(description.locator("em")).toHaveText("everyone");
  await expect(text).toBeHidden();

  await page.getByRole("button", { name: "Edit title" }).click();
  await page.getByRole("textbox", { name: "Title" }).fill(" ");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("textbox", { name: "Title" })).toHaveAttribute("aria-invalid", "true");
  await page.getByRole("textbox", { name: "Title" }).fill("See a kind greeting");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("See a kind greeting");

  await page.getByLabel("Priority").selectOption("1 Urgent");
  await expect(page.getByText("Saved", { exact: true }).first()).toBeVisible();
  await page.reload();
  await expectLive(page);
  await expect(page.getByLabel("Priority")).toHaveValue("1");
  await page.getByLabel("Priority").selectOption("4 Low");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Undone: priority of ST-001")).toBeVisible();
  await expect(page.getByLabel("Priority")).toHaveValue("1");

  await page.getByRole("button", { name: "Delete story" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(page.getByText("Deleted", { exact: true })).toBeVisible();
  await expect(page).toHaveURL(/backlog$/);
  await page.keyboard.press("ControlOrMeta+z");
  await expect(page.getByText("ST-001 and 3 more restored")).toBeVisible();
  await expect(page.getByRole("link", { name: "See a kind greeting" })).toBeVisible();
});
