import { expect } from "@playwright/test";
import { test } from "./test";
import { newPerson, unique } from "./world";

test("The main journey from a new product on works without script", async ({ browser }) => {
  const { context } = await newPerson(browser, { javaScriptEnabled: false });
  const page = await context.newPage();

  await page.goto("/products/new");
  await page.getByLabel("Name", { exact: true }).fill(`Planes ${unique()}`);
  await page.getByRole("button", { name: "Create product" }).click();
  await page.getByRole("link", { name: "New PBI" }).first().click();
  await page.getByLabel("Title", { exact: true }).fill("Fold a plane");
  await page.getByRole("button", { name: "Create PBI" }).click();
  await page.getByRole("link", { name: "New story", exact: true }).click();
  await page.getByLabel("Title", { exact: true }).fill("See each fold");
  await page.getByRole("button", { name: "Create story" }).click();
  await page.getByRole("complementary", { name: "Details" }).getByRole("link", { name: "New task" }).click();
  await page.getByLabel("Title", { exact: true }).fill("Draw the fold");
  await page.getByRole("textbox", { name: /Implementation plan/ }).fill("1. Draw it");
  await page.getByRole("button", { name: "Create task" }).click();
  await expect(page.getByRole("complementary", { name: "Details" })).toContainText("T-1");

  await page.getByRole("link", { name: "Paste a list" }).click();
  await page.getByLabel("List").fill("- Throw it\n  - Find a room\n- [x] Buy paper");
  await page.getByRole("button", { name: "Preview" }).click();
  await expect(page.getByRole("region", { name: "Preview" })).toContainText("skipped");
  await page.getByRole("button", { name: "Create 1 story and 1 task" }).click();
  await expect(page.getByText("Created 1 story and 1 task.")).toBeVisible();

  await page.getByRole("link", { name: "Sprints" }).click();
  await page.getByLabel("Goal").fill("A plane flies");
  await page.getByRole("button", { name: "Create sprint" }).click();
  await page.getByRole("button", { name: "Add ST-001" }).click();
  await page.getByRole("button", { name: "Start sprint" }).click();

  await page.getByRole("link", { name: "Move T-1 to…" }).click();
  await page.getByRole("button", { name: "Review", exact: true }).click();
  await expect(page.getByRole("region", { name: "Review: 1" })).toContainText("T-1");
  // No run does again what waits for a review.
  await expect(page.getByRole("link", { name: /Start run/ })).toHaveCount(0);
  await page.getByRole("link", { name: "Move T-1 to…" }).click();
  await page.getByRole("button", { name: "To do", exact: true }).click();

  await page.getByRole("link", { name: "Start run" }).click();
  await page.getByRole("button", { name: /^Start run of/ }).click();
  await expect(page.getByRole("heading", { name: /Run of sprint SP-1/ })).toBeVisible();
  await page.getByRole("button", { name: "Cancel run", exact: true }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel run", exact: true }).click();
  await expect(page.getByText("Cancelled").first()).toBeVisible();

  await page.goto("/ideas");
  await page.getByLabel("Title").fill("Planes that glow");
  await page.getByRole("button", { name: "Create idea" }).click();
  await page.getByLabel("Your question").fill("Which paper?");
  await page.getByRole("button", { name: "Ask" }).click();
  await expect(page.getByText("Which paper?")).toBeVisible();

  await page.getByRole("button", { name: "Edit title" }).click();
  await page.getByRole("textbox", { name: "Title" }).fill("  ");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("textbox", { name: "Title" })).toHaveAttribute("aria-invalid", "true");
  await page.getByRole("textbox", { name: "Title" }).fill("Planes that glow at night");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: /glow at night/ })).toBeVisible();
  await page.getByLabel("Status").selectOption("Ready");
  await page.getByRole("button", { name: "Set" }).first().click();
  await expect(page.getByLabel("Status")).toHaveValue("ready");

  await page.goto("/search?q=glow");
  await expect(page.getByRole("link", { name: "Planes that glow at night" })).toBeVisible();
});
