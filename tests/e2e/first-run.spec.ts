import { expect, type Locator, type Page } from "@playwright/test";
import { findings } from "./axe";
import { expectLive } from "./places";
import { testWithTerminal as test } from "./programs";
import { password, unique } from "./world";

const step = (page: Page, title: string) => page.getByRole("listitem").filter({ hasText: title });

test("A new user gets from nothing to an agent's work in review in a few presses, on one page", async ({
  page,
  context,
  terminal,
  home,
}) => {
  test.setTimeout(300_000);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const name = `new-${unique()}`;
  await page.goto("/register");
  await page.getByLabel("Username").fill(name);
  await page.getByLabel("Email address").fill(`${name}@example.com`);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Create account" }).click();

  let presses = 0;
  const press = (button: Locator) => {
    presses += 1;
    return button.click();
  };
  await expect(page).toHaveURL(/\/start$/);
  await expectLive(page);
  // Nothing is loaded again from here on: the page itself notices what happens in the terminal.
  const loads: string[] = [];
  page.on("load", () => loads.push(page.url()));
  await press(page.getByRole("button", { name: "Show the demo's line" }));
  const block = page.getByRole("figure").filter({ hasText: "Terminal, in any folder" });
  await press(block.getByRole("button", { name: "Copy" }));
  await expect(block.getByRole("button", { name: "Copied" })).toBeVisible();
  expect(await findings(page)).toEqual([]);
  const command = await page.evaluate(() => navigator.clipboard.readText());
  // An empty folder: the line brings the worker along.
  terminal(`cd "${home}" && ${command}`);
  await press(page.getByRole("button", { name: "In a separate file" }));
  await press(page.getByRole("button", { name: "Send now" }));
  // A person who closed the terminal finds the line again, as long as there is work for it.
  await expect(block).toBeVisible();
  const review = page.getByRole("link", { name: "Review T-2" });
  // Two tasks that take their time, with their proof tried on the base as well.
  await expect(review).toBeVisible({ timeout: 120_000 });
  expect(presses).toBeLessThanOrEqual(12);
  await expect(step(page, "T-1").filter({ hasText: "Write the greeting" }).last()).toContainText("Done");

  await review.click();
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("link", { name: "Continue first steps" }).click();
  // What follows from a verdict begins when it can no longer be undone.
  await expect(step(page, "Watch the demo agent").first()).toContainText(", done", { timeout: 45_000 });

  await expect(page.getByRole("button", { name: /^Show the/ })).toHaveCount(0);

  // What the worker itself saw of each criterion.
  await page.getByRole("link", { name: "Open T-2" }).click();
  await expect(page.getByText("Checking the acceptance criteria").first()).toBeVisible();
  await page.getByRole("link", { name: "Proof", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Proof 4/4" })).toBeVisible();
  const criterion = page.getByRole("listitem").filter({ hasText: "sh greet.sh Ada prints" });
  await criterion
    .getByText(/^Evidence/)
    .first()
    .click();
  await expect(criterion.getByText("Hello, Ada", { exact: true }).first()).toBeVisible();
  expect(loads).toEqual([]);

  // The product of one's own comes first: the line of the agent names it.
  await page.goto("/start");
  await page.getByRole("link", { name: "New product" }).click();
  await page.getByLabel("Name", { exact: true }).fill(`Tiny ${name}`);
  await page.getByRole("button", { name: "Create product" }).click();
  await expect(page.getByText("No PBIs yet")).toBeVisible();
  await page.goto("/start");
  await page.getByRole("button", { name: "Show the line" }).click();
  const line = page.getByRole("figure").filter({ hasText: "Claude" });
  await expect(line).toContainText("--agent claude");
  await expect(line).not.toContainText("--product CODE");
  await expect(line.getByRole("button", { name: "Copy" })).toBeVisible();
});
