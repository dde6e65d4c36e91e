import { expect } from "@playwright/test";
import { openLive } from "./places";
import { test } from "./test";
import { newPerson, newToken, newWorld } from "./world";

test("a person notes a test result in a story's log", async ({ world: { storyId }, ownPage: page }) => {
  await openLive(page, `/stories/${storyId}`);

  const log = page.getByRole("region", { name: "Log" });
  await log.getByText("Add an entry").click();
  await expect(log.getByLabel("Result")).toBeHidden();
  await log.getByLabel("Kind").selectOption("Test result");
  await log.getByLabel("Result").selectOption("Failed");
  await log.getByRole("button", { name: "Add to the log" }).click();
  await expect(log.getByLabel("Text")).toHaveAttribute("aria-invalid", "true");
  await log.getByLabel("Text").fill("The **greeting** is too long");
  await log.getByRole("button", { name: "Add to the log" }).click();
  const entry = log.getByRole("listitem");
  await expect(entry).toContainText("Tests");
  await expect(entry).toContainText("Failed");
  await expect(entry.locator("strong")).toHaveText("greeting");
});

test("A message confirms that a token was revoked, although its row is gone", async ({ browser }) => {
  const { context } = await newPerson(browser);
  await newToken(context);
  const page = await context.newPage();
  await openLive(page, "/settings/tokens");
  await page.getByRole("button", { name: "Revoke" }).first().click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
  await expect(page.getByRole("region", { name: "Notifications" })).toContainText("Token revoked");
});

test("the settings show what a webhook was sent, and that no one answered", async ({ browser }) => {
  const { context } = await newPerson(browser);
  const { product } = await newWorld(context);
  const settings = `${product}/settings/integrations`;
  // Nothing listens on the discard port.
  await context.request.post(settings, {
    form: { intent: "add-webhook", url: "http://127.0.0.1:9/hook", events: "run_done" },
  });
  const page = await context.newPage();
  await page.goto(settings);
  await expect(page.getByText("No deliveries yet")).toBeVisible();
  await page.getByRole("button", { name: "Send test" }).click();
  const summary = page.locator("summary", { hasText: "1 delivery" });
  await summary.click();
  await expect
    .poll(async () => {
      await page.reload();
      await summary.click();
      return page.getByRole("list", { name: "Deliveries" }).textContent();
    })
    .toMatch(/1 try, no response/);
});
