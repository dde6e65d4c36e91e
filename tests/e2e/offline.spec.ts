import { expect } from "@playwright/test";
import { column } from "./places";
import { test } from "./test";
import { newPerson, newWorld } from "./world";

test.use({ expectedProblems: /ERR_INTERNET_DISCONNECTED|ERR_FAILED|Failed to fetch/ });

test("a move made offline falls back with its reason, and the board stays", async ({ browser }) => {
  const { context } = await newPerson(browser);
  const world = await newWorld(context);
  const page = await context.newPage();
  await page.goto(world.sprint);
  await page.getByRole("status", { name: /Live/ }).waitFor();
  await context.setOffline(true);

  await page.getByRole("button", { name: "Move T-1 to…" }).click();
  await page.getByRole("button", { name: "Done", exact: true }).click();
  await expect(page.getByText(/T-1 stays where it was: You are offline/)).toBeVisible();
  await expect(column(page, "To do")).toContainText("T-1");

  await context.setOffline(false);
  await page.getByRole("button", { name: "Move T-1 to…" }).click();
  await page.getByRole("button", { name: "Done", exact: true }).click();
  await expect(column(page, "Done")).toContainText("T-1");
  await context.close();
});
