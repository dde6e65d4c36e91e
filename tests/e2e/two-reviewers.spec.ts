import { expect, type Page } from "@playwright/test";
import { findingsInBothThemes } from "./axe";
import { claimed, heldJob, patchOf } from "./held-job";
import { openLive } from "./places";
import { test } from "./test";
import { letIn, newPerson, type Person, post } from "./world";

// The verdict that comes second is refused.
test.use({ expectedProblems: /409/ });

/** Two members of one product, and the job of its last task: it waits for a person when its attempt has ended. */
async function jobOfTwo(ada: Person, bela: Person, origin: string) {
  const job = await heldJob(ada, origin);
  const { product, taskIds } = job.world;
  await letIn(ada, product, bela);
  await post(ada.context, `${product}/settings`, { intent: "update", done_requires: "person" });
  for (const id of taskIds.slice(1))
    await post(ada.context, `/tasks/${id}`, { intent: "set-status", task_id: id, status: "done" });
  await job.sendDiff(patchOf("src/greeting.ts", ["+export const greeting = 'Hello';"]));
  const end = { job_id: job.id, attempt: job.attempt, status: "done", verify_result: "ALIGNED" };
  await job.agent.call("update_job_status", end);
  return job;
}

/** Both requests are on their way before either of them arrives. */
async function sendTogether(pages: readonly Page[], press: (page: Page) => Promise<void>) {
  let waiting = 0;
  let release = () => {};
  const allSent = new Promise<void>((resolve) => {
    release = resolve;
  });
  for (const page of pages) {
    await page.route("**/*", async (route) => {
      if (route.request().method() !== "POST") return route.fallback();
      waiting += 1;
      if (waiting === pages.length) release();
      await allSent;
      await route.fallback();
    });
  }
  await Promise.all(pages.map(press));
}

test("An onlooker sees who waived a criterion and why, and of two waivers at once one counts", async ({
  browser,
  baseURL,
}) => {
  const [ada, bela] = [await newPerson(browser), await newPerson(browser)];
  const job = await jobOfTwo(ada, bela, String(baseURL));
  const [adas, belas] = [await ada.context.newPage(), await bela.context.newPage()];
  const onlooker = await bela.context.newPage();
  await openLive(onlooker, `/jobs/${job.id}/proof`);
  for (const page of [adas, belas]) {
    await openLive(page, `/stories/${job.world.storyId}`);
    await page.getByText("Waive…").click();
    await page.getByLabel("Why is proof not needed?").fill("Seen in the shop");
  }
  const waive = (page: Page) => page.getByRole("button", { name: "Waive", exact: true }).click();
  await sendTogether([adas, belas], waive);

  const waivers = [];
  for (const page of [adas, belas, onlooker]) {
    await expect(page.getByRole("heading", { name: "Proof 1/1" })).toBeVisible();
    await expect(page.getByText("Waive…")).toBeHidden();
    const waiver = await page.getByText(/Waived by .*: Seen in the shop/).textContent();
    expect(waiver).toMatch(/ (now|ago): Seen/);
    waivers.push(nameIn(waiver, ada, bela));
  }
  expect(new Set(waivers).size).toBe(1);
  const [first, second] = waivers[0] === ada.name ? [adas, belas] : [belas, adas];
  await expect(messages(first)).toContainText("Waived");
  await expect(messages(second)).toContainText("This criterion was already waived.");
  for (const page of [onlooker, first]) await expectGoodLook(page);
});

test("Of two verdicts at once one counts, and the other reviewer reads why and keeps their words", async ({
  browser,
  baseURL,
}) => {
  const [ada, bela] = [await newPerson(browser), await newPerson(browser)];
  const job = await jobOfTwo(ada, bela, String(baseURL));
  const [adas, belas] = [await ada.context.newPage(), await bela.context.newPage()];
  for (const page of [adas, belas]) {
    await openLive(page, `/jobs/${job.id}/changes`);
    await page.keyboard.press("Shift+R");
    await page.keyboard.press("ControlOrMeta+Enter");
    await expect(page.getByText("Write what should change")).toBeVisible();
    await page.getByLabel("What should change").fill("It should name the person.");
  }
  // One presses a button, the other sends what they wrote.
  await sendTogether([adas, belas], (page) =>
    page === adas ? page.getByRole("button", { name: "Approve" }).click() : page.keyboard.press("Control+Enter"),
  );

  const judges = [];
  for (const page of [adas, belas]) {
    const review = page.getByRole("list", { name: "Reviews so far" }).getByRole("listitem");
    await expect(review).toHaveText(/(approved|requested changes on) attempt 1/);
    judges.push(nameIn(await review.textContent(), ada, bela));
  }
  expect(new Set(judges).size).toBe(1);
  const [first, second] = judges[0] === ada.name ? [adas, belas] : [belas, adas];
  await expect(messages(second)).toContainText(/has just (approved|requested changes to) attempt 1/);
  await expect(second.locator("#review-summary")).toHaveValue("It should name the person.");
  await expect(second.getByText("Not sent")).toBeVisible();
  await expect(first.locator("#review-summary")).toBeHidden();
  for (const page of [first, second]) await expectGoodLook(page);
});

test("A comment being written on a story's changes survives another's verdict, and reaches its own job", async ({
  browser,
  baseURL,
}) => {
  const [ada, bela] = [await newPerson(browser), await newPerson(browser)];
  const job = await heldJob(ada, String(baseURL));
  const { product, storyId, taskIds } = job.world;
  await letIn(ada, product, bela);
  await post(ada.context, `${product}/settings`, { intent: "update", done_requires: "person" });
  const last = { intent: "set-status", task_id: String(taskIds[2]), status: "done" };
  await post(ada.context, `/tasks/${taskIds[2]}`, last);
  const handIn = async ({ id, attempt }: { id: string; attempt: number }, file: object) => {
    const shas = { base_sha: "a".repeat(40), head_sha: "b".repeat(40) };
    const sent = await ada.context.request.put(`/api/jobs/${id}/diff`, {
      headers: { authorization: `Bearer ${job.token}` },
      data: { attempt, ...shas, files: [file] },
    });
    expect(sent.status()).toBe(204);
    const end = { job_id: id, attempt, status: "done", verify_result: "ALIGNED" };
    await job.agent.call("update_job_status", end);
  };
  await handIn(job, patchOf("src/greeting.ts", ["+export const greeting = 'Hello';"]));
  const next = await job.agent.call("wait_for_job", { worker: "laptop", wait_seconds: 0 });
  const second = claimed.parse(next.result).job;
  await handIn(second, patchOf("src/page.ts", ["+show(greeting);"]));

  const [adas, belas] = [await ada.context.newPage(), await bela.context.newPage()];
  for (const page of [adas, belas]) await openLive(page, `/stories/${storyId}/changes`);
  const line = adas.getByRole("region", { name: "src/page.ts" }).locator('.l[data-n="1"]');
  await line.click({ position: { x: 10, y: 8 } });
  const text = adas.getByRole("textbox", { name: "Comment on line 1" });
  await text.fill("Show it to whom?");
  await belas.getByText(/^2 tasks/).click();
  await belas.getByRole("checkbox", { name: /Show the greeting/ }).uncheck();
  // A note goes with what the bright button says.
  await belas.getByLabel("Note", { exact: true }).fill("Looks good, thank you!");
  await belas.keyboard.press("Control+Enter");
  await expect(messages(belas)).toContainText("Approved");
  await expect(adas.getByRole("region", { name: "src/greeting.ts" })).toBeHidden();
  await expect(text).toHaveValue("Show it to whom?");
  await expectGoodLook(adas);
  await adas.getByRole("button", { name: "Add to review" }).click();
  const comment = adas.getByRole("region", { name: "src/page.ts" }).getByRole("article");
  await expect(comment).toContainText("Show it to whom?");
  await expect(text).toBeHidden();
  await adas.getByRole("button", { name: "Request changes" }).click();
  await adas.getByLabel("What should change").press("Control+Enter");
  await expect(messages(adas)).toContainText("Changes requested");
  await adas.goto(`/jobs/${second.id}/changes`);
  await expect(adas.getByRole("article", { name: /Comment by/ })).toContainText("Show it to whom?");
});

const messages = (page: Page) => page.getByRole("region", { name: "Notifications" });

function nameIn(text: string | null, ...people: readonly Person[]): string | undefined {
  return people.find(({ name }) => text?.includes(name))?.name;
}

/** Clean by axe in both themes, and no wider than a desk and a phone. */
async function expectGoodLook(page: Page) {
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await findingsInBothThemes(page)).toEqual([]);
    const drawn = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(drawn).toBeLessThanOrEqual(width);
  }
}
