import { expect } from "@playwright/test";
import { addedPicture } from "../setup/diff-files";
import { pictures } from "../setup/morning/code";
import { findings } from "./axe";
import { heldJob, patchOf } from "./held-job";
import { openLive } from "./places";
import { test } from "./test";
import { newPerson } from "./world";

test("people look at what an attempt changed, on a wide screen and on a phone", async ({ browser, baseURL }) => {
  const owner = await newPerson(browser);
  const job = await heldJob(owner, String(baseURL));
  const page = await owner.context.newPage();
  await openLive(page, `/jobs/${job.id}/changes`);
  await expect(page.getByText("No changes yet")).toBeVisible();

  await job.sendDiff(
    patchOf("src/greeting.ts", ["-export const greeting = 1;", "+export const greeting = 'hello';", " // done"]),
    patchOf("evil \u202e.html", [
      "+<script>document.title = 'owned'</script>",
      "+a\u202eb\u0007",
      `+${"x".repeat(100_000)}`,
    ]),
    { ...patchOf("package-lock.json", ["+{}"]), folded: true },
    addedPicture("logo.png", pictures[0] ?? Buffer.alloc(0)),
  );
  // It arrives without a reload.
  const file = page.getByRole("region", { name: "src/greeting.ts" });
  await expect(file.getByText("export const greeting = 'hello';")).toBeVisible();
  await expect(file.locator(".hljs-keyword").first()).toHaveText("export");
  await expect(page.getByRole("link", { name: /Changes.*\+5.*−1/ })).toBeVisible();

  const evil = page.getByRole("region", { name: /evil/ });
  await expect(evil.getByText("<script>document.title = 'owned'</script>")).toBeVisible();
  await expect(evil.locator(".l .mark")).toHaveText(["U+202E", "U+0007", "… 98000 more characters"]);
  await expect(evil.getByText("⟨U+202E⟩")).toBeVisible();
  expect(await page.title()).not.toContain("owned");

  const lock = page.getByRole("region", { name: "package-lock.json" });
  await expect(lock.getByText("{}")).toBeHidden();
  await lock.locator("summary").click();
  await expect(lock.getByText("{}")).toBeVisible();
  const logo = { name: "logo.png, after" };
  await page.getByRole("region", { name: "logo.png" }).scrollIntoViewIfNeeded();
  await expect(page.getByRole("img", logo)).toHaveJSProperty("naturalWidth", 360);

  await page.setViewportSize({ width: 1280, height: 900 });
  await expect(file.locator(".twin .l").first()).toBeVisible();
  await page.getByRole("button", { name: "Unified" }).click();
  await expect(file.locator(".twin .l").first()).toBeHidden();

  const code = await file.locator(".l").first().boundingBox();
  expect(code?.y).toBeLessThanOrEqual(360);

  await page.keyboard.press("n");
  await expect(file.locator(".l.d:focus")).toHaveText("export const greeting = 1;");
  // Esc returns to the line from its comment.
  await page.keyboard.press("r");
  await expect(file.getByRole("textbox", { name: "Comment on line 1" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(file.locator(".l.d:focus")).toHaveText("export const greeting = 1;");
  await page.keyboard.press("j");
  await expect(file.locator(".l.a:focus")).toHaveText("export const greeting = 'hello';");
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme });
    expect(await findings(page)).toEqual([]);
  }
  await page.keyboard.press("v");
  await expect(file.getByText("// done").last()).toBeHidden();
  // The next change is never one of a folded file.
  await page.keyboard.press("n");
  await expect(evil.locator(".l.a:focus")).toContainText("<script>");
  await page.reload();
  await expect(file.getByRole("checkbox", { name: "Viewed" })).toBeChecked();
  await expect(file.getByText("// done").last()).toBeHidden();
  await expect(async () => {
    await page.keyboard.press("n");
    await expect(evil.locator(".l.a:focus")).toContainText("<script>", { timeout: 500 });
  }).toPass();

  await page.setViewportSize({ width: 390, height: 844 });
  expect(await findings(page)).toEqual([]);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);

  const withoutScript = await browser.newContext({ javaScriptEnabled: false });
  await withoutScript.addCookies(await owner.context.cookies());
  const still = await withoutScript.newPage();
  await still.goto(`/jobs/${job.id}/changes`);
  // A viewed file is closed.
  await still.getByRole("region", { name: "src/greeting.ts" }).locator("summary").click();
  await expect(still.getByText("export const greeting = 'hello';")).toBeVisible();
  await still.getByRole("img", logo).scrollIntoViewIfNeeded();
  await expect(still.getByRole("img", logo)).toHaveJSProperty("naturalWidth", 360);
  // What changed inside the line.
  await expect(still.locator(".l mark")).toHaveText(["1", "'hello'"]);
});

test("a diff of 5,000 lines opens at once and scrolls", async ({ baseURL, owner, ownPage: page }) => {
  const job = await heldJob(owner, String(baseURL));
  const lines = Array.from({ length: 2_500 }, (_, number) => [
    `-const before${number} = ${number};`,
    `+const after${number} = "${number}";`,
  ]).flat();
  await job.sendDiff(patchOf("src/long.ts", lines));
  await openLive(page, `/jobs/${job.id}/changes`);
  const file = page.getByRole("region", { name: "src/long.ts" });
  await expect(file.locator(".l.a")).toHaveCount(2_500);
  await file.locator(".l.a").last().scrollIntoViewIfNeeded();
  await expect(file.getByText('const after2499 = "2499";')).toBeInViewport();
});
