import { expect } from "@playwright/test";
import { connectClient } from "../mcp/clients";
import { claimed } from "./held-job";
import { openLive, openWithKeys } from "./places";
import { test } from "./test";
import { lastId, newPerson, newToken, newWorld, post } from "./world";

test("what must come first is said under b, shows on both sides and on the board", async ({
  world,
  ownPage: page,
}) => {
  await openLive(page, `/tasks/${world.taskIds[0]}`);
  const waits = page.getByRole("region", { name: /^Blocked by/ });
  const field = waits.getByRole("textbox", { name: "Blocked by" });
  await expect(field).toBeHidden();

  await page.keyboard.press("b");
  await expect(field).toBeFocused();
  await field.fill("T-404");
  await page.keyboard.press("Enter");
  await expect(waits).toContainText("No task T-404 in this product");
  await field.fill("t-2");
  await page.keyboard.press("Enter");
  await expect(waits.getByRole("link", { name: /^T-2/ })).toBeVisible();

  await waits.getByRole("link", { name: /^T-2/ }).click();
  await expect(waits.getByRole("heading", { name: "Blocks" })).toBeVisible();
  await page.keyboard.press("b");
  await field.fill("T-1");
  await page.keyboard.press("Enter");
  await expect(waits).toContainText("T-2 → T-1 → T-2");

  await openLive(page, `/products/${world.productId}/sprints/${world.sprintId}`);
  const card = (index: number) => page.locator(`[data-task="${world.taskIds[index]}"]`).first();
  await expect(card(0)).toContainText("Blocked by T-2");
  await expect(card(1)).toContainText("Blocks 1");
});

test("rows and pages offer what is near, and the run shows what can be at work at once", async ({
  world,
  ownPage: page,
}) => {
  await openWithKeys(page, `/products/${world.productId}/sprints/${world.sprintId}`);
  const card = (index: number) => page.locator(`[data-task="${world.taskIds[index]}"]`).first();
  await card(0).locator("[data-row]").focus();
  await page.keyboard.press("b");
  const menu = page.getByRole("group", { name: "Blockers of T-1" });
  await expect(menu.getByRole("button", { name: /^T-2/ })).toBeVisible();
  await page.keyboard.type("t-2");
  await expect(menu.getByRole("button", { name: /^T-3/ })).toHaveCount(0);
  await page.keyboard.press("Enter");
  await expect(card(0)).toContainText("Blocked by T-2");

  await openLive(page, `/tasks/${world.taskIds[0]}`);
  await page.keyboard.press("b");
  const near = page.getByRole("form", { name: "Possible blockers" });
  await expect(near.getByRole("button", { name: /T-2/ })).toHaveCount(0);
  await near.getByRole("button", { name: /T-3/ }).click();
  const waits = page.getByRole("region", { name: "Blocked by (2)" });
  await expect(waits.getByRole("link", { name: /^T-3/ })).toBeVisible();

  await page.keyboard.press("ControlOrMeta+k");
  await expect(page.getByRole("option", { name: /^Blocked by…/ }).first()).toBeVisible();
  await page.goto("/search?q=blocked:T-3");
  await expect(page.getByRole("main").getByText("T-1", { exact: true })).toBeVisible();
});

test("a person begins what waits once they have confirmed, and hears what their end of a task frees", async ({
  world,
  ownPage: page,
}) => {
  await openLive(page, `/tasks/${world.taskIds[0]}`);
  await page.keyboard.press("b");
  await page.getByRole("textbox", { name: "Blocked by" }).fill("T-2");
  await page.keyboard.press("Enter");
  const begin = page.getByRole("button", { name: "Start anyway" });
  await expect(begin).toBeVisible();

  const sprintPage = `/products/${world.productId}/sprints/${world.sprintId}`;
  await openWithKeys(page, sprintPage);
  const card = (index: number) => page.locator(`[data-task="${world.taskIds[index]}"]`).first();
  await card(0).locator("[data-row]").focus();
  await page.keyboard.press("s");
  await page.getByRole("button", { name: "In progress", exact: true }).click();
  const messages = page.getByRole("region", { name: "Notifications" });
  await expect(messages).toContainText(
    "T-1 is blocked by T-2. Finish that first, or start it anyway.",
  );
  await messages.getByRole("button", { name: "Start anyway" }).click();
  await expect(
    page.getByRole("region", { name: /In progress/ }).locator(`[data-task="${world.taskIds[0]}"]`),
  ).toBeVisible();
  await page.goto("/settings/activity");
  await expect(page.getByRole("row", { name: /Started a task that is blocked/ })).toContainText(
    "T-1, before T-2",
  );

  await openLive(page, `/tasks/${world.taskIds[0]}`);
  await expect(begin).toHaveCount(0);
  await page.getByLabel("Status", { exact: true }).selectOption("todo");
  await expect(begin).toBeVisible();
  await openLive(page, `/tasks/${world.taskIds[1]}`);
  await page.getByLabel("Status", { exact: true }).selectOption("done");
  await expect(messages).toContainText("T-2 is in Done. T-1 can start now");
});

test("it works without script too", async ({ browser }) => {
  const { context } = await newPerson(browser, { javaScriptEnabled: false });
  const world = await newWorld(context);
  const page = await context.newPage();
  await page.goto(`/tasks/${world.taskIds[0]}`);
  const waits = page.getByRole("region", { name: /^Blocked by/ });
  await waits.getByText("Add a blocker").click();
  await waits.getByRole("textbox", { name: "Blocked by" }).fill("T-1");
  await waits.getByRole("button", { name: "Add" }).click();
  await expect(waits).toContainText("cannot be blocked by itself");
  await waits.getByRole("textbox", { name: "Blocked by" }).fill("T-2");
  await waits.getByRole("button", { name: "Add" }).click();
  await expect(waits.getByRole("link", { name: /^T-2/ })).toBeVisible();
  await page.getByLabel("Status", { exact: true }).selectOption("in_progress");
  await page.getByRole("button", { name: "Set" }).first().click();
  await expect(page.getByText("T-1 is blocked by T-2. Finish that first")).toBeVisible();
  await waits.getByRole("button", { name: "Start anyway" }).click();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await expect(page.getByLabel("Status", { exact: true })).toHaveValue("in_progress");
  await waits.getByRole("button", { name: "Remove: T-2" }).click();
  await expect(waits.getByRole("link", { name: /^T-2/ })).toHaveCount(0);
});

test("the owner says that work is on the main branch, and undoes it", async ({
  baseURL,
  owner,
  world,
  ownPage: page,
}) => {
  await post(owner.context, `${world.product}/settings`, {
    intent: "update",
    pr_strategy: "STORY",
  });
  await openLive(page, `${world.product}/settings`);
  await page.getByRole("link", { name: "Git host" }).click();
  await page.getByLabel("A blocker is resolved when").selectOption("merged");
  await page.getByRole("button", { name: "Save" }).first().click();
  await expect(page.getByText("Saved", { exact: true }).first()).toBeVisible();
  const backlog = `${world.product}/backlog`;
  const story = { intent: "create-story", pbi_id: world.pbiId, title: "Say goodbye" };
  const story_id = lastId(await post(owner.context, backlog, story));
  const task = { intent: "create-task", story_id, title: "Wave", implementation_plan: "1. Wave" };
  const waiting = `/tasks/${lastId(await post(owner.context, backlog, task))}`;
  await post(owner.context, world.sprint, {
    ...{ intent: "add-story", sprint_id: world.sprintId, story_id },
  });
  await post(owner.context, waiting, { intent: "add-dependency", blocked_by: "T-1" });

  const agent = await connectClient({ origin: String(baseURL) }, await newToken(owner.context));
  await agent.call("start_sprint_run", { sprint_id: world.sprintId });
  const { result } = await agent.call("wait_for_job", { worker: "laptop", wait_seconds: 0 });
  const { id: job_id, attempt } = claimed.parse(result).job;
  const done = { status: "done", verify_result: "aligned", head_sha: "a".repeat(40) };
  expect((await agent.call("update_job_status", { job_id, attempt, ...done })).isError).toBe(false);

  await openLive(page, waiting);
  const say = page.getByRole("button", { name: "Mark as merged" });
  await say.click();
  await expect(page.getByText("Noted. T-4 can start now")).toBeVisible();
  await expect(say).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Undone: merge state of T-1")).toBeVisible();
  await expect(say).toBeVisible();
  await agent.close();
});
