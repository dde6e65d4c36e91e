import { expect } from "@playwright/test";
import { test } from "./test";

const password = "a long enough password";

test("a newcomer registers, logs out, and is let in again with the password only", async ({
  page,
}) => {
  const name = `ada-${Date.now().toString(36)}`;
  await page.goto("/register");
  await page.getByLabel("Username").fill(name);
  await page.getByLabel("Email address").fill(`${name}@example.com`);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page).toHaveURL(/\/dashboard/);

  await page.context().clearCookies();
  await page.goto("/dashboard");
  await expect(page).toHaveURL(/\/login/);

  const signIn = async (secret: string) => {
    await page.getByLabel("Username or email address").fill(name);
    await page.getByLabel("Password", { exact: true }).fill(secret);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
  };
  await signIn("not the password");
  await expect(page.getByRole("alert")).toBeVisible();
  await signIn(password);
  await expect(page).toHaveURL(/\/dashboard/);
});
