import { expect, type Page } from "@playwright/test";
import { column } from "./places";
import { test } from "./test";

test.use({ serviceWorkers: "allow", expectedProblems: /ERR_INTERNET_DISCONNECTED|ERR_FAILED|Failed to fetch/ });

test("A card moved offline returns with the reason, and the board stays", async ({ owner, world, ownPage: page }) => {
  await page.goto(world.sprint);
  await page.getByRole("status", { name: /Live/ }).waitFor();
  // Its service worker is fetched meanwhile, which must not fail for want of the network.
  await controlled(page);
  await owner.context.setOffline(true);

  await page.getByRole("button", { name: "Move T-1 to…" }).click();
  await page.getByRole("button", { name: "Done", exact: true }).click();
  await expect(page.getByText(/T-1 was not moved: You are offline/)).toBeVisible();
  await expect(column(page, "To do")).toContainText("T-1");
  await page.getByRole("link", { name: "Write the greeting" }).focus();
  await page.keyboard.press("p");
  await page
    .getByRole("group", { name: /Priority/ })
    .getByText("Urgent")
    .click();
  await expect(page.getByText(/Not saved: You are offline/)).toBeVisible();
  await page.getByRole("link", { name: "Members", exact: true }).click();
  await expect(page.getByText("You are offline. Other pages open")).toBeVisible();
  await expect(column(page, "To do")).toContainText("T-1");

  await owner.context.setOffline(false);
  await page.getByRole("button", { name: "Move T-1 to…" }).click();
  await page.getByRole("button", { name: "Done", exact: true }).click();
  await expect(column(page, "Done")).toContainText("T-1");
});

test("A page without network says so, and returns with the network", async ({ owner, ownPage: page }) => {
  await page.goto("/");
  await controlled(page);
  await owner.context.setOffline(true);
  await page.reload();
  await expect(page.getByRole("heading", { name: "Backloom cannot be reached" })).toBeVisible();

  await owner.context.setOffline(false);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("heading", { name: "Backloom cannot be reached" })).toBeHidden();
});

test("Only requests that the service worker answers wake it", async ({ ownPage: page }) => {
  await page.goto("/");
  await controlled(page);
  expect(await sourceOf(page, "/offline.css")).toBe("fetch-event");
  expect(await sourceOf(page, "/api/health?_data=routes")).toBe("network");
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
