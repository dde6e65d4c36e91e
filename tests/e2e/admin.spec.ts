import { expect, type Page } from "@playwright/test";
import { findings } from "./axe";
import { test } from "./test";
import { newAdministrator, newPerson, password, signedIn, unique } from "./world";

/** The part of the list of users that begins with this one. */
const usersFrom = (name: string) => `/admin?after=${name.slice(0, -1)}`;

const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

async function logIn(page: Page, name: string, secret: string) {
  await page.getByLabel("Username or email address").fill(name);
  await page.getByLabel("Password", { exact: true }).fill(secret);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

test("an administrator changes roles, flags and passwords, and the audit trail keeps it", async ({ browser }) => {
  const administrator = await signedIn(browser, await newAdministrator());
  const ada = await newPerson(browser);
  const page = await administrator.newPage();
  const adas = await ada.context.newPage();
  await page.goto(usersFrom(ada.name));
  expect(await findings(page)).toEqual([]);
  const row = rowOf(page, `${ada.name}@example.com`);

  await row.getByRole("button", { name: "Make administrator" }).click();
  await expect(row.getByRole("button", { name: "Make developer" })).toBeVisible();
  await adas.goto("/dashboard");
  await expect(adas.getByRole("link", { name: "Administration" })).toBeVisible();
  await row.getByRole("button", { name: "Make developer" }).click();
  await expect(row.getByRole("button", { name: "Make administrator" })).toBeVisible();
  expect((await adas.goto("/admin"))?.status()).toBe(403);

  await row.getByRole("button", { name: "Make demo" }).click();
  await expect(row.getByRole("button", { name: "Remove demo" })).toBeVisible();
  // Anyone who becomes a demo account has to sign in again.
  await adas.goto("/products/new");
  await expect(adas).toHaveURL(/\/login/);
  await logIn(adas, ada.name, password);
  await expect(adas.getByRole("button", { name: "Create product" })).toBeDisabled();
  await row.getByRole("button", { name: "Remove demo" }).click();
  await expect(row.getByRole("button", { name: "Make demo" })).toBeVisible();

  await row.getByRole("button", { name: "Reset" }).click();
  await page.getByRole("button", { name: "Reset password" }).click();
  const temporary = await page.getByRole("figure").locator("pre").textContent();
  await adas.goto("/dashboard");
  await expect(adas).toHaveURL(/\/login/);
  await logIn(adas, ada.name, String(temporary));
  await expect(adas.getByRole("heading", { name: "Choose a new password" })).toBeVisible();
  // Nothing else is open before another one is chosen.
  await adas.goto("/dashboard");
  await adas.getByLabel("Temporary password").fill(String(temporary));
  await adas.getByLabel("New password").fill(`${password}, again`);
  await adas.getByRole("button", { name: "Save and continue" }).click();
  await expect(adas).toHaveURL(/\/start$/);

  await page.getByRole("link", { name: "Audit trail" }).click();
  const told = rowOf(page, ada.name);
  await expect(told.filter({ hasText: "The password was reset" })).toHaveCount(1);
  await expect(told.filter({ hasText: "Changed the password" })).toHaveCount(1);
  await expect(told.filter({ hasText: "role admin" })).toHaveCount(1);
  expect(await findings(page)).toEqual([]);
  await administrator.close();
});

test("An administrator sets what a model costs", async ({ browser }) => {
  const administrator = await signedIn(browser, await newAdministrator());
  const page = await administrator.newPage();
  const model = `model-${unique()}`;
  await page.goto("/admin/prices");
  const save = async (input: string) => {
    await page.getByLabel("Model", { exact: true }).fill(model);
    await page.getByLabel("Input").fill(input);
    await page.getByLabel("Output").fill("15");
    await page.getByLabel("Cache read").fill("0.3");
    await page.getByLabel("Cache write").fill("3.75");
    await page.getByRole("button", { name: "Save price" }).click();
  };
  await save("3");
  await expect(rowOf(page, model)).toHaveText(`${model}3150.33.75USDOwnEditRemove`);
  await save("4");
  await expect(rowOf(page, model)).toHaveText(`${model}4150.33.75USDOwnEditRemove`);
  expect(await findings(page)).toEqual([]);

  await rowOf(page, model).getByRole("button", { name: "Remove" }).click();
  await expect(rowOf(page, model)).toHaveCount(0);

  const shipped = "kimi-k2.5";
  await expect(rowOf(page, shipped)).toContainText("Shipped 2026-10");
  await rowOf(page, shipped)
    .getByRole("link", { name: `Edit the price of ${shipped}` })
    .click();
  await expect(page.getByLabel("Model", { exact: true })).toHaveValue(shipped);
  await expect(page.getByLabel("Output")).toHaveValue("3");
  await page.getByLabel("Output").fill("2.5");
  await page.getByRole("button", { name: "Save price" }).click();
  await expect(rowOf(page, shipped)).toHaveText(`${shipped}0.62.50.10.6USDOwnEditRemove`);
  await rowOf(page, shipped).getByRole("button", { name: "Remove" }).click();
  await expect(rowOf(page, shipped)).toContainText("Shipped 2026-10");
  await administrator.close();
});
