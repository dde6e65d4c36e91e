import { expect } from "@playwright/test";
import { test } from "./test";
import { newPerson, newWorld } from "./world";

test("everything is a key away: help, places, creation, search and closing", async ({
  browser,
}) => {
  const { context } = await newPerson(browser);
  const world = await newWorld(context);
  const page = await context.newPage();
  await page.goto(`${world.product}/backlog`);
  await expect(page.locator('[data-live="live"]')).toBeAttached();

  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keys of this page" })).toContainText("Next row");
  await page.keyboard.press("Escape");

  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("complementary", { name: "Details" })).toContainText(
    "See a greeting",
  );
  await page.keyboard.press("Escape");
  await expect(page.getByRole("complementary", { name: "Details" })).toBeHidden();

  await page.keyboard.press("c");
  await expect(page.getByRole("heading", { name: "New story" })).toBeVisible();
  await page.keyboard.press("Escape");

  await page.keyboard.press("/");
  await page.keyboard.type("check");
  await expect(page.getByText("Check the greeting")).toBeVisible();
  await expect(page.getByText("Write the greeting")).toBeHidden();
  await page.getByRole("link", { name: "Show all" }).click();

  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await expect(page).toHaveURL(/\/sprints$/);

  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("dialog").getByRole("combobox").fill("greeting");
  await expect(page.getByRole("option", { name: /Show the greeting/ })).toBeVisible();
  await page.getByRole("option", { name: /Show the greeting/ }).click();
  await expect(page.getByRole("heading", { name: /Show the greeting/ })).toBeVisible();
  await context.close();
});

test("the first stop of the tab key leads past the navigation", async ({ browser }) => {
  const { context } = await newPerson(browser);
  const page = await context.newPage();
  await page.goto("/dashboard");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator("main")).toBeFocused();
  await context.close();
});
