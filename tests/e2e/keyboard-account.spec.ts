import { expect } from "@playwright/test";
import { keysOf } from "./keys";
import { expectLive, openLive } from "./places";
import { test } from "./test";
import { newPerson, newWorld, password } from "./world";

test("A person signs in and out by keys alone", async ({ page, browser }) => {
  const { name } = await newPerson(browser);
  const keys = keysOf(page);
  await page.goto("/login");
  await keys.fill(page.getByLabel("Username or email address"), name);
  await keys.fill(page.getByLabel("Password", { exact: true }), password);
  await keys.press("Enter");
  await expect(page).toHaveURL(/\/start$/);

  await expectLive(page);
  await keys.tabTo(page.getByRole("button", { name: `${name}: account and appearance` }));
  await keys.press("ArrowUp");
  await expect(page.getByRole("button", { name: "Sign out" })).toBeFocused();
  await keys.press("Enter");
  await expect(page).toHaveURL(/\/login/);
});

test("A person makes, copies and revokes a token by keys alone", async ({ owner: { context }, ownPage: page }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const keys = keysOf(page);
  await openLive(page, "/settings/tokens");
  await keys.fill(page.getByLabel("Name", { exact: true }), "laptop");
  await keys.press("Enter");
  await keys.activate(page.getByRole("button", { name: "Copy" }).first());
  await expect(page.getByRole("button", { name: "Copied" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^blm_/);

  await keys.activate(page.getByRole("button", { name: "Revoke" }));
  await keys.activate(page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }));
  await expect(page.getByRole("row").filter({ hasText: "laptop" })).toContainText("revoked");
});

test("An owner invites a member and removes them by keys alone", async ({ browser }) => {
  const { context } = await newPerson(browser);
  const { product } = await newWorld(context);
  const bela = await newPerson(browser);
  const page = await context.newPage();
  const keys = keysOf(page);
  await openLive(page, `${product}/members`);
  await keys.fill(page.getByLabel("Username or email"), bela.name);
  await keys.press("Enter");
  await expect(page.getByRole("main")).toContainText(bela.name);
  const invited = await bela.context.newPage();
  await openLive(invited, "/inbox");
  await keysOf(invited).activate(invited.getByRole("button", { name: "Accept" }));
  await expect(invited).toHaveURL(new RegExp(`${product}/backlog`));
  await keys.activate(page.getByRole("button", { name: `Remove ${bela.name}` }));
  await keys.activate(page.getByRole("alertdialog").getByRole("button", { name: "Remove" }));
  await expect(page.getByRole("main")).not.toContainText(bela.name);
});

test("A person signs in another device by keys alone", async ({ page: desktop, ownPage: page }) => {
  const keys = keysOf(page);
  const started = desktop.waitForResponse("**/api/auth/pair/start");
  await desktop.goto("/login");
  const { qrUrl } = await (await started).json();
  await page.goto(qrUrl);
  await keys.activate(page.getByRole("button", { name: "Approve sign-in" }));
  await expect(desktop).toHaveURL(/\/start$/);
  await keys.activate(page.getByRole("button", { name: "Revoke" }));
  await expect(page.getByText("Revoked")).toBeVisible();
});
