import { expect, type Page } from "@playwright/test";
import { column } from "./places";
import { test } from "./test";
import { newPerson, newWorld } from "./world";

test.use({
  serviceWorkers: "allow",
  expectedProblems: /ERR_INTERNET_DISCONNECTED|ERR_FAILED|Failed to fetch/,
});

test("a move made offline falls back with its reason, and the board stays", async ({ browser }) => {
  const { context } = await newPerson(browser);
  const world = await newWorld(context);
  const page = await context.newPage();
  await page.goto(world.sprint);
  await page.getByRole("status", { name: /Live/ }).waitFor();
  await context.setOffline(true);

  await page.getByRole("button", { name: "Move T-1 to…" }).click();
  await page.getByRole("button", { name: "Done", exact: true }).click();
  await expect(page.getByText(/T-1 was not moved: You are offline/)).toBeVisible();
  await expect(column(page, "To do")).toContainText("T-1");
  await page.getByRole("link", { name: "Members", exact: true }).click();
  await expect(page.getByText("You are offline. Other pages open")).toBeVisible();
  await expect(column(page, "To do")).toContainText("T-1");

  await context.setOffline(false);
  await page.getByRole("button", { name: "Move T-1 to…" }).click();
  await page.getByRole("button", { name: "Done", exact: true }).click();
  await expect(column(page, "Done")).toContainText("T-1");
  await context.close();
});

test("without network a page says so, and returns with it", async ({ browser }) => {
  const { context } = await newPerson(browser);
  const page = await context.newPage();
  await page.goto("/");
  await controlled(page);
  await context.setOffline(true);
  await page.reload();
  await expect(page.getByRole("heading", { name: "You are offline" })).toBeVisible();

  await context.setOffline(false);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("heading", { name: "You are offline" })).toBeHidden();
  await context.close();
});

test("only what the service worker answers wakes it", async ({ browser }) => {
  const { context } = await newPerson(browser);
  const page = await context.newPage();
  await page.goto("/");
  await controlled(page);
  expect(await sourceOf(page, "/offline.css")).toBe("fetch-event");
  expect(await sourceOf(page, "/api/health?_data=routes")).toBe("network");
  await context.close();
});

async function controlled(page: Page): Promise<void> {
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
}

/** Who was asked for `path`: Chromium says so of every request of a page with a service worker. */
function sourceOf(page: Page, path: string): Promise<unknown> {
  return page.evaluate(async (asked) => {
    await (await fetch(asked)).text();
    const entries = performance.getEntriesByType("resource");
    const entry = entries.find(({ name }) => name.endsWith(asked));
    return entry && Reflect.get(entry, "workerFinalSourceType");
  }, path);
}
