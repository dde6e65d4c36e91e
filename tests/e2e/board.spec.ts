import { expect } from "@playwright/test";
import { findings } from "./axe";
import { heldJob } from "./held-job";
import { column, hold, openBoard, openLive } from "./places";
import { test } from "./test";
import { letIn, newPerson, post } from "./world";

test("two people at one board see each other's moves", async ({ browser, owner: ada, world }) => {
  const bela = await newPerson(browser);
  await letIn(ada, world.product, bela);

  const adas = await ada.context.newPage();
  const belas = await bela.context.newPage();
  await openLive(adas, world.sprint);
  await openBoard(belas, world.sprint);

  await adas.getByRole("button", { name: "Move T-1 to…" }).click();
  await adas.getByRole("button", { name: "Review", exact: true }).click();
  await expect(column(adas, "Review")).toContainText("T-1");
  await expect(column(belas, "Review")).toContainText("T-1");

  // No one scrolls between pressing and moving, as the test's hand would.
  await column(belas, "In progress").scrollIntoViewIfNeeded();
  await belas.getByText("Show the greeting").dragTo(column(belas, "In progress"));
  await expect(column(belas, "In progress")).toContainText("T-2");
  await expect(column(adas, "In progress")).toContainText("T-2");
});

test.describe("a page that hears of no change", () => {
  test.use({ expectedProblems: /ERR_FAILED .*\/api\/realtime\// });

  test("A card whose move is refused returns by itself and says why", async ({ owner, world, ownPage: page }) => {
    // A page that hears nothing of the archiving still shows its buttons; the service refuses.
    await page.route("**/api/realtime/**", (route) => route.abort());
    await page.goto(world.sprint);
    await expect(page.locator("[data-board-keys]")).toBeAttached();
    await owner.context.request.post(`${world.product}/settings`, { form: { intent: "archive" } });
    await page.getByRole("button", { name: "Move T-3 to…" }).click();
    await page.getByRole("button", { name: "Done", exact: true }).click();
    await expect(page.getByText(/T-3 was not moved: .*archived/)).toBeVisible();
    // And where the card is.
    await expect(column(page, "To do").locator("[data-task]", { hasText: "T-3" })).toContainText(
      /Not saved: .*archived/,
    );
  });
});

test("A card moves by keys alone, and the page says that keys choose its column", async ({ world, ownPage: page }) => {
  await openBoard(page, world.sprint);

  await page.keyboard.press("j");
  await page.keyboard.press("m");
  await expect(page.getByText("choose the column")).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await expect(column(page, "Review")).toContainText("T-1");
  await expect(page.locator(`[data-task-id="${world.taskIds[0]}"]`)).toBeFocused();

  await page.keyboard.press("m");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Escape");
  await expect(column(page, "Review")).toContainText("T-1");

  // The card is where it will be before the service has heard of it.
  await expect(page.getByText("T-1 is in Review")).toBeVisible();
  await page.keyboard.press("ControlOrMeta+z");
  await expect(column(page, "To do")).toContainText("T-1");
  await expect(page.getByText("Undone: status of T-1")).toBeVisible();
});

test("A card shows that its move is not saved yet, and closing the tab asks first", async ({
  world,
  ownPage: page,
}) => {
  await openBoard(page, world.sprint);
  const letGo = await hold(page, /_data=/, (request) => request.method() === "POST");
  await page.getByRole("button", { name: "Move T-1 to…" }).click();
  await page.getByRole("button", { name: "Review", exact: true }).click();
  const card = column(page, "Review").locator(`[data-line="task:${world.taskIds[0]}"]`);
  await expect(card).toHaveAttribute("aria-busy", "true");
  const asked = page.waitForEvent("dialog");
  await page.close({ runBeforeUnload: true });
  const question = await asked;
  expect(question.type()).toBe("beforeunload");
  await question.dismiss();
  letGo();
  await expect(card).not.toHaveAttribute("aria-busy", "true");
});

test("Esc returns a card that the mouse drags, and the release opens nothing", async ({ world, ownPage: page }) => {
  await openBoard(page, world.sprint);
  const card = page.getByRole("link", { name: "Check the greeting" });
  await card.hover();
  await page.mouse.down();
  await column(page, "In progress").hover();
  await expect(page.locator(".card-lifted")).toHaveText("Check the greeting");
  await expect(column(page, "In progress")).toHaveAttribute("data-drop-target");
  await card.hover();
  await page.keyboard.press("Escape");
  await expect(page.locator(".card-lifted")).toHaveCount(0);
  await page.mouse.up();
  await expect(column(page, "To do")).toContainText("T-3");
  await expect(page).toHaveURL(new RegExp(`${world.sprint}$`));
  // What is clicked afterwards is followed as ever.
  await card.click();
  await expect(page).toHaveURL(/\/tasks\//);
});

test("A card of work in review starts its preview by key, and leads to it once it runs", async ({
  owner,
  baseURL,
  ownPage: page,
}) => {
  const { id: job_id, attempt, agent, token, world } = await heldJob(owner, String(baseURL));
  await post(owner.context, `${world.product}/settings`, { intent: "update", done_requires: "person" });
  for (const task_id of world.taskIds.slice(1))
    await post(owner.context, `/tasks/${task_id}`, { intent: "set-status", task_id, status: "done" });
  const head_sha = "a".repeat(40);
  const end = { job_id, attempt, status: "done", verify_result: "ALIGNED", head_sha };
  expect(await agent.call("update_job_status", end)).toMatchObject({ isError: false });
  const report = async (...previews: object[]) => {
    const headers = { authorization: `Bearer ${token}` };
    const data = { worker: "laptop", room: 1, previews };
    return (await owner.context.request.put("/api/workers/previews", { headers, data })).json();
  };
  const link = page.getByRole("link", { name: "Try it: T-1" });
  await openBoard(page, world.sprint);
  await expect(column(page, "Review")).toContainText("T-1");
  await expect(link).toBeHidden();

  await report();
  await openBoard(page, world.sprint);
  await link.press("Enter");
  await expect(page.getByRole("complementary", { name: "Details" })).toContainText("Starting aaaaaaaa");
  await expect(link).toBeFocused();
  expect(await findings(page)).toEqual([]);
  const [{ id }] = (await report()).previews;
  await report({ id, state: "ready", branch_sha: "b".repeat(40) });
  await expect(column(page, "Review")).toContainText("Try it aaaaaaaa, old");
  await expect(link).toHaveAttribute("href", `/previews/${id}`);
  await expect(link).toHaveAttribute("target", "_blank");
});
