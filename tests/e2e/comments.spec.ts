import { expect } from "@playwright/test";
import { findingsInBothThemes } from "./axe";
import { openLive } from "./places";
import { test } from "./test";
import { letIn, newPerson, newWorld } from "./world";

test("Two people comment on a task: mentioned by a few letters, live, edited, and found in the inbox", async ({
  browser,
}) => {
  const ada = await newPerson(browser);
  const bob = await newPerson(browser);
  const world = await newWorld(ada.context);
  await letIn(ada, world.product, bob);
  const task = `/tasks/${world.taskIds[0]}`;
  const [page, other] = [await ada.context.newPage(), await bob.context.newPage()];
  await openLive(page, task);
  await openLive(other, task);

  const box = page.getByLabel("Add a comment");
  await box.pressSequentially(`Could you look, @${bob.name.slice(0, -1)}`);
  await expect(page.getByRole("option", { name: `@${bob.name}` })).toBeVisible();
  // The Enter that ends a composition belongs to the input method.
  await box.dispatchEvent("keydown", { key: "Enter", isComposing: true });
  await expect(box).toHaveValue(`Could you look, @${bob.name.slice(0, -1)}`);
  expect(await findingsInBothThemes(page, "#comments")).toEqual([]);
  await page.keyboard.press("Enter");
  await expect(box).toHaveValue(`Could you look, @${bob.name} `);
  await openLive(page, world.product);
  await openLive(page, task);
  await expect(box).toHaveValue(`Could you look, @${bob.name} `);
  await box.press("ControlOrMeta+Enter");
  await expect(box).toHaveValue("");
  await openLive(page, task);
  await expect(box).toHaveValue("");
  const shown = other.getByRole("article", { name: `Comment by ${ada.name}` });
  await expect(shown).toContainText(`Could you look, @${bob.name}`);
  await expect(shown.getByText("Edit")).toHaveCount(0);

  await other.goto("/inbox?show=mentions");
  await other.getByRole("link", { name: "Reply" }).click();
  await other.getByLabel("Add a comment").fill("Looks **right**.");
  await other.getByRole("button", { name: "Comment", exact: true }).click();
  const reply = page.getByRole("article", { name: `Comment by ${bob.name}` });
  await expect(reply.locator("strong", { hasText: "right" })).toBeVisible();
  await other.goto("/inbox?show=mentions");
  await expect(other.getByText("No mentions")).toBeVisible();

  const own = page.getByRole("article", { name: `Comment by ${ada.name}` });
  await own.getByText("Edit", { exact: true }).click();
  await own.getByRole("textbox", { name: "Comment" }).fill("Never mind.");
  await own.getByRole("button", { name: "Save comment" }).click();
  await expect(own).toContainText("Never mind.");
  await expect(own.getByText("edited")).toBeVisible();
  await reply.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect(reply).toHaveCount(0);
  expect(await findingsInBothThemes(page, "#comments")).toEqual([]);
});
