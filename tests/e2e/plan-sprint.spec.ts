import { expect } from "@playwright/test";
import { findings } from "./axe";
import { test } from "./test";
import { unique } from "./world";

test("a person plans a sprint from nothing and starts its run", async ({ ownPage: page }) => {
  await page.goto("/products/new");
  await page.getByLabel("Name", { exact: true }).fill(`Planes ${unique()}`);
  await page.getByText("How agents work").click();
  const waitsFor = page.getByRole("group", { name: "Agent work waits for" });
  await expect(waitsFor.getByRole("radio", { name: "A person" })).toBeChecked();
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Create product" }).click();
  await expect(page.getByText("No PBIs yet")).toBeVisible();

  await page.getByRole("link", { name: "New PBI" }).first().click();
  await page.getByLabel("Title", { exact: true }).fill("Fold a plane");
  await page.getByRole("button", { name: "Create PBI" }).click();
  await expect(page.getByRole("complementary", { name: "Details" })).toContainText("PBI-1");

  await page.getByRole("link", { name: "New story", exact: true }).click();
  await expect(page.getByRole("heading", { name: "New story" })).toBeVisible();
  await page.getByLabel("Title", { exact: true }).fill("See each fold");
  await page.getByRole("button", { name: "Create story" }).click();
  await expect(page.getByRole("complementary", { name: "Details" })).toContainText("ST-001");

  await page.getByRole("complementary", { name: "Details" }).getByRole("link", { name: "New task" }).click();
  await expect(page.getByRole("heading", { name: "New task in ST-001" })).toBeVisible();
  await page.getByLabel("Title", { exact: true }).fill("Draw the fold");
  await page.getByRole("button", { name: "Create task" }).click();
  await expect(page.getByRole("complementary", { name: "Details" })).toContainText("T-1");

  await page.getByRole("link", { name: "Sprints" }).click();
  await page.getByLabel("Goal").fill("A plane flies");
  await page.getByRole("button", { name: "Create sprint" }).click();
  await page.getByRole("button", { name: "Add ST-001" }).click();
  await page.getByRole("button", { name: "Start sprint" }).click();
  await page.getByRole("link", { name: "Start run" }).click();

  await page.getByRole("link", { name: "Open T-1" }).click();
  await expect(page.getByRole("heading", { name: /T-1/ })).toBeVisible();
  await page.getByText("A run needs a plan for every task").click();
  await page.getByRole("textbox", { name: /Implementation plan/ }).fill("1. Draw it\n2. Test it");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("listitem").filter({ hasText: "Draw it" })).toBeVisible();

  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  await page.goBack();
  await page.getByRole("button", { name: "Start run of 1 job" }).click();
  await expect(page.getByRole("heading", { name: /Run of sprint SP-1/ })).toBeVisible();
  await expect(page.getByText("1 queued")).toBeVisible();
});

test("A mistake in a form is shown at its field, and nothing that was typed is lost", async ({ ownPage: page }) => {
  await page.goto("/products/new");
  await page.getByLabel("Name", { exact: true }).fill("Planes");
  await page.getByText("How agents work").click();
  await page.getByLabel("Code").fill("not a code!");
  await page.getByRole("button", { name: "Create product" }).click();
  await expect(page.getByLabel("Code")).toHaveAttribute("aria-invalid", "true");
  await expect(page.getByLabel("Code")).toHaveValue("not a code!");
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Planes");
});
