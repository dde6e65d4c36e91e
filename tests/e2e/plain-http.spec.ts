import { expect } from "@playwright/test";
import { expectLive, openWithKeys, places, placesOf } from "./places";
import { testWithTerminal as test } from "./programs";
import { newPerson, newWorld, password } from "./world";

// Chromium says of each page over plain http that it ignores this header.
test.use({ expectedProblems: /^The Cross-Origin-Opener-Policy header has been ignored/ });

test("in a home network, over plain http on a name, every page opens, stays live and copies", async ({
  browser,
  terminal,
}) => {
  test.setTimeout(300_000);
  const port = Number(process.env.E2E_PORT) + 10_000;
  const origin = `http://backlog.lan:${port}`;
  const settings = `PORT=${port} APP_ORIGIN=${origin} E2E_DATA_DIR= REGISTRATION=open TRUST_PROXY=loopback`;
  const service = terminal(`${settings} exec node tests/setup/e2e-server.mjs`);
  await service.said(/http:\/\/backlog\.lan/);
  // Playwright's own requests do not know the name.
  const owner = await newPerson(browser, { baseURL: `http://127.0.0.1:${port}` });
  const world = await newWorld(owner.context);

  const context = await browser.newContext({ baseURL: origin });
  const page = await context.newPage();
  await page.goto("/login");
  expect(await page.evaluate(() => isSecureContext)).toBe(false);
  await page.getByLabel("Username or email address").fill(owner.name);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page).toHaveURL(/\/dashboard/);

  for (const place of [...placesOf(world), ...places]) {
    const isThere = place !== "/nowhere";
    expect((await page.goto(place))?.status(), place).toBe(isThere ? 200 : 404);
    await expect(page.getByText("Something broke"), place).toBeHidden();
    if (isThere) await expectLive(page);
  }

  await openWithKeys(page, world.sprint);
  const pasted = async () => {
    await page.evaluate(() => {
      const field = document.createElement("textarea");
      document.body.append(field);
      field.id = "pasted";
      field.focus();
    });
    await page.keyboard.press("ControlOrMeta+v");
    return page.locator("#pasted").inputValue();
  };
  await page.getByRole("link", { name: "Write the greeting" }).focus();
  await page.keyboard.press("ControlOrMeta+Shift+,");
  await expect(page.getByText(/^Copied the link to/)).toBeVisible();
  expect(await pasted()).toBe(`${origin}/tasks/${world.taskIds[0]}`);
  await context.close();
  await owner.context.close();
});
