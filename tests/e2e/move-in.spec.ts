import { randomBytes } from "node:crypto";
import { expect } from "@playwright/test";
import { linear } from "../transfers/exports";
import { findingsInBothThemes } from "./axe";
import { test } from "./test";
import { newPerson, newWorld, unique } from "./world";

const file = (text: string) => ({ name: "linear.csv", mimeType: "text/csv", buffer: Buffer.from(text) });

test("A new product takes another tool's backlog after a preview; done stories stay hidden until Show", async ({
  browser,
}) => {
  const { context } = await newPerson(browser, { viewport: { width: 390, height: 800 } });
  const page = await context.newPage();
  await page.goto("/products/new");
  await page.getByRole("link", { name: "Import your backlog" }).click();
  await expect(page.getByRole("heading", { name: "Import a backlog" })).toBeVisible();
  await page.getByLabel("Name").fill(`Moved ${unique()}`);
  const over = `${linear}\nENG-9,Engineering,Shipped,,Done,,Low,,,,,,,,,2026-01-01,,,`;
  await page.getByLabel("From").selectOption("trello");
  await page.locator("input[type=file]").setInputFiles(file(over));
  await expect(page.getByLabel("From")).toHaveValue("linear");
  await page.getByRole("button", { name: "Preview" }).click();
  const preview = page.getByRole("region", { name: "Preview" });
  await expect(preview).toContainText("3 stories, 4 tasks, 2 new PBIs, 2 new labels will go into");
  await expect(preview).toContainText("1 × Archived in Linear");
  expect(await findingsInBothThemes(page)).toEqual([]);
  await preview.getByRole("button", { name: "Import", exact: true }).click();
  await expect(page.getByRole("region", { name: "Imported" })).toContainText("3 stories, 4 tasks");
  await page.getByRole("link", { name: "Open the backlog" }).click();

  await expect(page.getByRole("link", { name: "Remember me" }).first()).toBeVisible();
  await expect(page.getByRole("link", { name: "Shipped" })).toHaveCount(0);
  await expect(page.getByText("1 done story hidden.")).toBeVisible();
  await page.getByRole("link", { name: "Show done stories" }).click();
  await expect(page).toHaveURL(/done=1/);
  await expect(page.getByRole("link", { name: "Shipped" }).first()).toBeVisible();
  await page.reload();
  await expect(page.getByRole("link", { name: "Shipped" }).first()).toBeVisible();
});

test("A backlog larger than a form may be is imported as its preview showed it", async ({ ownPage: page }) => {
  await page.goto("/import");
  await page.getByLabel("Name").fill(`Moved ${unique()}`);
  // Text that no packing makes smaller.
  const years = Array.from(
    { length: 15 },
    (_, at) =>
      `ENG-${at + 9},Engineering,Year ${at},${randomBytes(60_000).toString("base64")},Backlog,,Low,,,,,,,,,,,,`,
  );
  await page.locator("input[type=file]").setInputFiles(file([linear, ...years].join("\n")));
  await page.getByRole("button", { name: "Preview" }).click();
  const preview = page.getByRole("region", { name: "Preview" });
  await preview.getByRole("button", { name: "Import", exact: true }).click();
  await expect(page.getByRole("region", { name: "Imported" })).toContainText("17 stories");
});

test("a pasted backlog goes into a product from its settings without script", async ({ browser }) => {
  const { name, context } = await newPerson(browser, { javaScriptEnabled: false });
  const world = await newWorld(context);
  const page = await context.newPage();
  await page.goto(`${world.product}/settings/integrations`);
  await page.getByRole("link", { name: "Import…" }).click();
  await page.getByLabel("Or paste it").fill(linear);
  await page.getByLabel("From").selectOption("linear");
  await page.getByRole("button", { name: "Preview" }).click();
  await expect(page.getByRole("region", { name: "Preview" })).toContainText("2 stories");
  // No one here is named like the assignees of the file: one of them is this person.
  await expect(page.getByLabel("Who ADA@example.com is")).toHaveValue("");
  await page.getByLabel("Who eve@example.com is").selectOption(name);
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect(page.getByRole("region", { name: "Imported" })).toContainText("2 stories, 3 tasks");
  await page.getByRole("link", { name: "Open the backlog" }).click();
  await expect(page.getByRole("link", { name: "Remember me" }).first()).toBeVisible();
  await page.goto(`${world.product}/backlog?q=assignee:${name}`);
  await expect(page.getByRole("link", { name: "Remember me" }).first()).toBeVisible();
  await expect(page.getByRole("link", { name: "Sign in, at last" })).toHaveCount(0);
  await page.goto(`/import?product=${world.productId}`);
  await page.getByLabel("Or paste it").fill(linear);
  await page.getByLabel("From").selectOption("linear");
  await page.getByRole("button", { name: "Preview" }).click();
  await expect(page.getByRole("region", { name: "Preview" })).toContainText("Nothing is new");
  await expect(page.getByRole("button", { name: "Import", exact: true })).toHaveCount(0);
  await page.getByLabel("Or paste it").fill("no list at all");
  await page.getByLabel("From").selectOption("linear");
  await page.getByRole("button", { name: "Preview" }).click();
  await expect(page.getByRole("alert")).toContainText("not a CSV export of Linear");
});
