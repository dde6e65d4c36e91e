import { expect, type Page } from "@playwright/test";
import { expectLive } from "./places";
import { testWithTerminal as test } from "./programs";
import { password, unique } from "./world";

/** A step of the guide, which says when it is done. */
const step = (page: Page, title: string) => page.getByRole("listitem").filter({ hasText: title });

test("somebody new comes from nothing to an agent's finished task, guided by the page", async ({
  page,
  context,
  terminal,
  home,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const name = `new-${unique()}`;
  await page.goto("/register");
  await page.getByLabel("User name").fill(name);
  await page.getByLabel("E-mail address").fill(`${name}@example.com`);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("link", { name: "First steps" }).click();

  await page.getByRole("button", { name: "Use the sample product" }).click();
  await expect(page.getByText("Working on Sample product.")).toBeVisible();
  await page.getByRole("link", { name: "Create token" }).click();
  await page.getByRole("button", { name: "Create token" }).click();
  await expect(page.getByText("No call yet")).toBeVisible();

  await expectLive(page);
  // Nothing is loaded anew from here on: the page itself notices what happens in the terminal.
  const loads: string[] = [];
  page.on("load", () => loads.push(page.url()));
  await page.getByText("The demo worker").click();
  const block = page.getByRole("figure").filter({ hasText: "Terminal, in any folder" });
  await block.getByRole("button", { name: "Copy" }).click();
  await expect(block.getByRole("button", { name: "Copied" })).toBeVisible();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  // An empty folder: the line brings the worker along.
  const worker = terminal(`cd "${home}" && ${command}`);
  await expect(page.getByText("First call received")).toBeVisible({ timeout: 20_000 });

  await page.getByRole("link", { name: "Go on" }).click();
  await expect(step(page, "Connect an agent")).toContainText(", done");
  await page.getByRole("link", { name: "Open sprint" }).click();
  await page.getByRole("button", { name: "Start run of 2 jobs" }).click();
  await expect(page.getByRole("heading", { name: /Run of SP-1/ })).toBeVisible();

  await page.getByRole("button", { name: "In a file of its own" }).click();
  await worker.said(/T-2 is done/);
  await expect(page.getByRole("heading", { name: /Run of SP-1 .*Done/ })).toBeVisible();
  await expect(page.getByText("2 done")).toBeVisible();
  await page.getByRole("link", { name: "SP-1", exact: true }).click();
  await expect(page.getByText("All stories are done")).toBeVisible();

  await page.getByRole("button", { name: /account and appearance/ }).click();
  await page.getByRole("link", { name: "First steps" }).click();
  await expect(page.getByText("All done.")).toBeVisible();

  // The sample asks for proof: what the worker itself saw of each criterion.
  await page.getByRole("link", { name: "View proof" }).click();
  await expect(page.getByRole("heading", { name: "Proof 4/4" })).toBeVisible();
  const criterion = page.getByRole("listitem").filter({ hasText: "sh greet.sh Ada prints" });
  await expect(criterion.first()).toContainText("Test passed");
  await criterion
    .getByText(/^Evidence/)
    .first()
    .click();
  await expect(criterion.getByText("Hello, Ada", { exact: true }).first()).toBeVisible();
  expect(loads).toEqual([]);
});
