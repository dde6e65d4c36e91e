import { expect } from "@playwright/test";
import { findFreePort } from "../../supabase/embedded/postgres/free-port";
import { openTelegram } from "../chats/fakes/telegram";
import { findings } from "./axe";
import { testWithTerminal as test } from "./programs";
import { password, post } from "./world";

test("An account of a chat is connected, set and removed in the settings, and the administration shows its service", async ({
  browser,
  terminal,
  home,
}) => {
  test.setTimeout(300_000);
  const fake = await openTelegram();
  const port = await findFreePort();
  const variables = `DATA_DIR="${home}/data" PORT=${port} NODE_ENV=production`;
  const { token, api } = fake.config;
  const bot = `TELEGRAM_BOT_TOKEN=${token} TELEGRAM_API=${api}`;
  await terminal(`${variables} ${bot} exec node app/cli/launch.mjs start`).said(/Backloom is ready at/);
  const account = `--username ada --email ada@example.com --password "${password}" --role ADMIN`;
  await terminal(`${variables} exec node app/cli/launch.mjs admin user create ${account} --json`).said(/"id"/);
  const context = await browser.newContext({ baseURL: `http://localhost:${port}` });
  await post(context, "/login", { identifier: "ada", password });
  for (const name of ["Loom", "Weave"]) await post(context, "/products/new", { name });

  const page = await context.newPage();
  await page.goto("/settings/chats");
  await page.getByRole("button", { name: "Connect Telegram" }).click();
  const code = await page.getByRole("figure").filter({ hasText: "Code" }).locator("pre").textContent();
  expect(await findings(page)).toEqual([]);
  fake.write({ id: "4711", name: "Ada L." }, `/start ${code}`);
  // The page shows by itself who typed it.
  await expect(page.getByText("Paired with Ada L.: is that you?")).toBeVisible();
  await page.getByRole("button", { name: "Yes, that is me" }).click();
  await expect(page.getByText("connected", { exact: true })).toBeVisible();

  await page.getByLabel("Collect questions").check();
  await page.getByLabel("Quiet from").fill("22:00");
  await page.getByLabel("Quiet until").fill("07:30");
  await page.getByRole("checkbox", { name: "Loom" }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Saved")).toBeVisible();
  await page.reload();
  await expect(page.getByLabel("Collect questions")).toBeChecked();
  await expect(page.getByLabel("Quiet from")).toHaveValue("22:00");
  await expect(page.getByLabel("Quiet until")).toHaveValue("07:30");
  await expect(page.getByRole("checkbox", { name: "Loom" })).toBeChecked();
  await expect(page.getByRole("checkbox", { name: "Weave" })).not.toBeChecked();
  expect(await findings(page)).toEqual([]);

  const administration = await context.newPage();
  await administration.goto("/admin/chats");
  const row = administration.getByRole("row").filter({ hasText: "Telegram" });
  await expect(row).toContainText("on");
  await expect(row).toContainText("backloom_bot");
  expect(await findings(administration)).toEqual([]);

  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("alertdialog").or(page.getByRole("dialog")).getByRole("button", { name: "Remove" }).click();
  await expect(page.getByRole("button", { name: "Connect Telegram" })).toBeVisible();
  await fake.close();
  await expect(async () => {
    await page.reload();
    await expect(page.getByText("Telegram cannot be reached now.")).toBeVisible({ timeout: 1000 });
  }).toPass();
});
