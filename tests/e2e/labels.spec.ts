import { expect } from "@playwright/test";
import { findingsInBothThemes } from "./axe";
import { openWithKeys } from "./places";
import { test } from "./test";
import { newPerson, newWorld } from "./world";

test("Labels are made in the settings, set with the key l, filtered by, and undone", async ({
  world,
  ownPage: page,
}) => {
  await page.goto(`${world.product}/settings`);
  const section = page.getByRole("region", { name: "Labels" });
  await section.getByLabel("New label").fill("Needs design");
  await section.getByRole("button", { name: "Add label" }).click();
  await expect(section.getByRole("listitem")).toContainText("Needs design");
  expect(await findingsInBothThemes(page, "#labels")).toEqual([]);

  await openWithKeys(page, `${world.product}/backlog`);
  const row = page.locator("[data-line^=task]").filter({ hasText: "Write the greeting" });
  await row.getByRole("link", { name: "Write the greeting" }).focus();
  await page.keyboard.press("l");
  await page
    .getByRole("group", { name: /^Labels of/ })
    .getByText("Needs design")
    .click();
  await expect(row.getByText("Needs design")).toBeVisible();
  await page.getByLabel("Filter by code, title, label or person").fill("label:needs-design");
  await expect(page.getByText("3 of")).toBeVisible();
  await expect(page.locator("[data-line^=task]")).toHaveCount(1);
  await row.getByRole("link", { name: "Write the greeting" }).focus();
  await page.keyboard.press("ControlOrMeta+z");
  await expect(page.getByText(/^Undone: labels of T-\d+$/)).toBeVisible();
  await expect(page.getByText("Nothing matches")).toBeVisible();
});

test("labels of a task are set on its page without script", async ({ browser }) => {
  const { context } = await newPerson(browser, { javaScriptEnabled: false });
  const world = await newWorld(context);
  const page = await context.newPage();
  await page.goto(`${world.product}/settings`);
  await page.getByLabel("New label").fill("bug");
  await page.getByRole("button", { name: "Add label" }).click();
  await page.goto(`/stories/${world.storyId}`);
  await page.getByText("Change labels").click();
  await page.getByLabel("bug").check();
  await page.getByRole("button", { name: "Save labels" }).click();
  await expect(page.getByText("Change labels")).toBeVisible();
  await expect(page.locator(".label-chip")).toHaveText(["bug"]);
});
