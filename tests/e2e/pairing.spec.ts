import { type Browser, type BrowserContext, devices, expect, type Page } from "@playwright/test";
import { test } from "./test";

const password = "a long enough secret";
const username = `phone-${Date.now().toString(36)}`;

test.describe.configure({ mode: "serial" });

/** A phone that is signed in as the user of this file. */
async function openPhone(browser: Browser, signedIn: boolean): Promise<BrowserContext> {
  const phone = await browser.newContext({ ...devices["Pixel 7"], locale: "en" });
  if (signedIn) await signIn(await phone.newPage());
  return phone;
}

async function signIn(page: Page): Promise<void> {
  await page.goto("/login");
  await page.getByLabel("Username or email address").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page).toHaveURL(/\/start$/);
}

/** Opens the login page on a desktop and reads what its QR code says. */
async function showCode(desktop: Page): Promise<{ qrUrl: string; checkCode: string }> {
  const started = desktop.waitForResponse("**/api/auth/pair/start");
  await desktop.goto("/login");
  const { qrUrl } = await (await started).json();
  await expect(desktop.getByRole("img", { name: /QR code/ })).toBeVisible();
  const checkCode = (await desktop.getByTestId("check-code").textContent()) ?? "";
  return { qrUrl, checkCode };
}

/** Every address and referrer that a page asks for, to see that no secret is among them. */
function watchRequests(page: Page): string[] {
  const seen: string[] = [];
  page.on("request", (request) => {
    // The very first request still shows the fragment to the test, which the network never sees.
    if (!request.isNavigationRequest()) seen.push(request.url());
    seen.push(request.headers().referer ?? "");
  });
  return seen;
}

test("A person registers on a phone", async ({ browser }) => {
  const phone = await openPhone(browser, false);
  const page = await phone.newPage();
  await page.goto("/register");
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Email address").fill(`${username}@example.com`);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page).toHaveURL(/\/start$/);
  await phone.close();
});

test("A desktop is signed in once the phone approves, and the approval can be revoked", async ({
  browser,
  page: desktop,
}, info) => {
  const { qrUrl, checkCode } = await showCode(desktop);
  const secret = new URL(qrUrl).hash.split("s=")[1] ?? "";
  await desktop.screenshot({ path: info.outputPath("desktop-code.png") });

  const phone = await openPhone(browser, true);
  const page = await phone.newPage();
  const requests = watchRequests(page);
  await page.goto(qrUrl);
  await expect(page.getByText(`your account ${username}`)).toBeVisible();
  await expect(page.getByTestId("check-code")).toHaveText(checkCode);
  expect(new URL(page.url()).hash).toBe("");
  await page.screenshot({ path: info.outputPath("phone-question.png") });
  const buttons = await page.getByRole("main").getByRole("button").allTextContents();
  expect(buttons.slice(0, 2)).toEqual(["Decline", "Approve sign-in"]);

  await page.getByRole("button", { name: "Approve sign-in" }).click();
  await expect(page.getByText("Was this not you?")).toBeVisible();
  await expect(desktop).toHaveURL(/\/start$/);
  await page.screenshot({ path: info.outputPath("phone-approved.png") });
  for (const text of requests) expect(text).not.toContain(secret);

  await page.reload();
  await page.getByRole("button", { name: "Revoke" }).click();
  await expect(page.getByText("Revoked")).toBeVisible();
  await desktop.goto("/settings/devices");
  await expect(desktop).toHaveURL(/\/login/);
  await phone.close();
});

test("a signed-out phone signs in first and keeps the code to itself; the desktop learns of a decline", async ({
  browser,
  page: desktop,
}, info) => {
  const { qrUrl, checkCode } = await showCode(desktop);
  const secret = new URL(qrUrl).hash.split("s=")[1] ?? "";
  const phone = await openPhone(browser, false);
  const page = await phone.newPage();
  const requests = watchRequests(page);
  await page.goto(qrUrl);
  await page.getByRole("link", { name: "Sign in on this phone" }).click();
  await page.getByLabel("Username or email address").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page.getByTestId("check-code")).toHaveText(checkCode);
  expect(page.url()).toMatch(/\/m\/pair$/);
  for (const text of requests) expect(text).not.toContain(secret);

  await page.getByRole("button", { name: "Decline" }).click();
  await expect(page.getByText("was not signed in")).toBeVisible();
  await expect(desktop.getByText("The phone declined this sign-in.")).toBeVisible();
  await desktop.screenshot({ path: info.outputPath("desktop-declined.png") });
  await desktop.getByRole("button", { name: "Show a new code" }).click();
  await expect(desktop.getByTestId("check-code")).not.toHaveText(checkCode);
  await phone.close();
});

test("the login form works without JavaScript", async ({ browser }, info) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto("/settings/devices");
  await expect(page).toHaveURL(/\/login\?redirectTo=/);
  await page.getByLabel("Username or email address").fill(username);
  await page.getByLabel("Password", { exact: true }).fill("wrong password");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page.getByRole("alert")).toHaveText(/wrong/);
  await expect(page.getByLabel("Username or email address")).toHaveValue(username);
  await page.screenshot({ path: info.outputPath("login-refused.png") });
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page).toHaveURL(/\/settings\/devices/);
  await expect(page.getByText("this device")).toBeVisible();
  await page.screenshot({ path: info.outputPath("devices.png") });
});
