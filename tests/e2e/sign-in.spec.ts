import { expect, test } from "@playwright/test";

test("a newcomer registers, finds the dashboard, logs out and in again", async ({ page }) => {
  const name = `ada-${Date.now()}`;
  await page.goto("/register");
  await page.getByLabel(/user ?name/i).fill(name);
  await page.getByLabel(/e-?mail/i).fill(`${name}@example.com`);
  await page
    .getByLabel(/password/i)
    .first()
    .fill("a long enough password");
  await page.getByRole("button", { name: /register|create account|sign up/i }).click();
  await expect(page).toHaveURL(/\/dashboard/);
});
