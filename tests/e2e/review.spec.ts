import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { connectClient } from "../mcp/clients";
import { findings } from "./axe";
import { openLive } from "./places";
import { testWithTerminal as test } from "./programs";
import { newPerson, newToken, newWorld, post, signedIn } from "./world";

test("a person requests changes of a worker's work, and approves the next attempt by thumb", async ({
  browser,
  baseURL,
  home,
  terminal,
}) => {
  test.setTimeout(150_000);
  const owner = await newPerson(browser);
  const world = await newWorld(owner.context);
  await post(owner.context, `${world.product}/settings`, { intent: "update", pr_strategy: "STORY" });
  const token = await newToken(owner.context);
  const agent = await connectClient({ origin: String(baseURL) }, token, "2026-07-28", "/mcp");
  await agent.call("start_sprint_run", { sprint_id: world.sprintId });

  const repo = join(home, "repo");
  mkdirSync(repo);
  const git = (...words: string[]) => execFileSync("git", words, { cwd: repo, encoding: "utf8" });
  git("init", "--quiet", "--initial-branch=main");
  git("-c", "user.name=Ada", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m", "Begin");
  // An agent that writes a greeting, and a better one when the review asks for it.
  const prompts = join(home, "prompts.md");
  const script = join(home, "agent.sh");
  const proof = `
    const { readFileSync, writeFileSync } = require("fs");
    const { criteria } = JSON.parse(readFileSync(process.env.BACKLOOM_CONTEXT_FILE, "utf8"));
    const evidence = criteria.map(({ id }) => ({ criterion: id, command: "grep Hello greeting.ts" }));
    writeFileSync(process.env.BACKLOOM_RESULT_FILE, JSON.stringify({ evidence }));`;
  writeFileSync(
    script,
    `cat "$BACKLOOM_PROMPT_FILE" >> ${prompts}\nif grep -q "What the review asks for" "$BACKLOOM_PROMPT_FILE"; then echo "export const greeting = 'Hello, Ada';"; else echo "export const greeting = 'Hello';"; fi > greeting.ts\nnode -e '${proof}'\n`,
  );
  const work = () =>
    terminal(
      `exec node app/cli/launch.mjs worker --url ${baseURL} --token ${token} --repo ${repo} --product ${world.productId} --name loom --sandbox off --once --test true --exec 'sh ${script}'`,
    );
  await work().said(/is done/);

  const page = await owner.context.newPage();
  await openLive(page, `/tasks/${world.taskIds[0]}`);
  await page.getByRole("link", { name: "+1 −0" }).click();
  const file = page.getByRole("region", { name: "greeting.ts" });
  await expect(file.getByText("export const greeting = 'Hello';")).toBeVisible();

  // Another reviewer of the same account looks on: what is sent arrives there, drafts do not.
  const other = await signedIn(browser, owner.name, { viewport: { width: 390, height: 844 } });
  const phone = await other.newPage();
  await phone.goto(page.url());
  const seen = phone.getByRole("region", { name: "greeting.ts" });
  await expect(seen.getByText("export const greeting = 'Hello';")).toBeVisible();

  await page.keyboard.press("n");
  await page.keyboard.press("r");
  const comment = page.getByRole("textbox", { name: "Comment on line 1" });
  await comment.fill("It should name");
  await page.getByRole("button", { name: "Add to review" }).click();
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await expect(comment).toHaveValue("It should name");
  await comment.fill("It should name the person.");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const mark = page.getByRole("article", { name: /Comment by/ }).getByText("draft", { exact: true });
  await expect(mark).toHaveCSS("color", "rgb(125, 74, 0)");
  await expect(file.locator(".l.a:focus")).toHaveText("export const greeting = 'Hello';");
  expect(await findings(page)).toEqual([]);
  const requested = page.getByText("requested changes on attempt 1");
  const messages = page.getByRole("region", { name: "Notifications" });
  const [review, form] = [page.locator("#review"), page.locator("#review > *")];
  const ask = page.getByRole("button", { name: "Request changes" });
  // A verdict can be undone by key and by button: its comment is a draft still, and its words are there.
  await page.keyboard.press("Shift+R");
  const words = page.getByLabel("What should change");
  // The bright button is what Ctrl+Enter presses, and says so.
  const bright = page.getByRole("region", { name: "Review" }).locator("button.bg-accent");
  await expect(bright).toHaveText("Request changesCtrl Enter");
  await words.fill("Nearly.");
  await page.reload();
  await page.getByText("What should change: unsent").click();
  await expect(words).toBeFocused();
  await expect(words).toHaveValue("Nearly.");
  await expect(bright).toContainText("Request changes");
  await words.press("Escape");
  // The button opens the note first, as the key does.
  await ask.click();
  await expect(words).toBeFocused();
  for (const undo of [
    () => page.keyboard.press("Control+z"),
    () => messages.getByRole("button", { name: "Undo" }).click(),
  ]) {
    await ask.click();
    await expect(requested).toBeVisible();
    await expect(messages).toContainText(/Changes requested: T-\d+ Write the greeting/);
    // It lies in the bar's own room: neither on code nor on what can be pressed.
    const isInBar = async () => {
      const [bar, it, row] = await Promise.all([review, messages, form].map((each) => each.boundingBox()));
      return bar && it && row && bar.y < it.y && it.y + it.height < row.y;
    };
    await expect.poll(isInBar).toBe(true);
    await undo();
    await expect(messages).toContainText("waits for your verdict again");
    await expect(requested).toBeHidden();
    await expect(words).toHaveValue("Nearly.");
    await expect(bright).toContainText("Request changes");
  }
  await ask.click();
  await expect(requested).toBeVisible();
  await expect(page.getByText(/next attempt continues this work with your comments/)).toBeVisible();
  await expect(phone.getByText("It should name the person.").first()).toBeVisible({ timeout: 45_000 });
  // What was seen of the rejected work proves nothing any more, until something is seen at a later commit.
  const told = await owner.context.newPage();
  await openLive(told, `/stories/${world.storyId}#proof`);
  const criterion = told.locator("[data-criterion]").filter({ hasText: "it names me" });
  await expect(criterion).toContainText("Not proven");
  await criterion.getByText("Evidence (1)").click();
  const voided = `does not count: ${owner.name} requested changes`;
  await expect(criterion.getByText(voided)).toBeVisible();

  await work().said(/is done/);
  expect(readFileSync(prompts, "utf8")).toContain(
    `greeting.ts:1 (${owner.name})\n  > export const greeting = 'Hello';\n  It should name the person.`,
  );
  await expect(criterion.getByText("Evidence (2)")).toBeVisible();
  await expect(told.getByRole("heading", { name: "Proof 1/" })).toBeVisible();
  // The phone has heard of it: the remark is on top, with what became of its line.
  await expect(seen.getByText("export const greeting = 'Hello, Ada';")).toBeVisible();
  const remarks = phone.getByRole("list", { name: "Reviews so far" });
  await expect(remarks).toContainText(/greeting\.ts:1.*It should name the person\..*line changed/);
  const approve = phone.getByRole("button", { name: "Approve" });
  await expect(approve).toBeInViewport({ ratio: 1 });
  const box = await approve.boundingBox();
  expect(box?.height).toBeGreaterThanOrEqual(44);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
  // Pressed twice, it is sent once.
  await approve.evaluate((button: HTMLElement) => {
    button.click();
    button.click();
  });
  await expect(phone.getByText("approved attempt 2")).toBeVisible();
  await expect(page.getByText("approved attempt 2")).toBeVisible();
});
