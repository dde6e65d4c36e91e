import { expect, type Page } from "@playwright/test";
import { findings } from "./axe";
import { heldJob, patchOf } from "./held-job";
import { openLive } from "./places";
import { test } from "./test";
import { newPerson, type Person, post } from "./world";

// The verdict that comes second is refused.
test.use({ expectedProblems: /409/ });

/** Two members of one product, and the job of its last task: it waits for a person when its attempt has ended. */
async function jobOfTwo(ada: Person, bela: Person, origin: string) {
  const job = await heldJob(ada, origin);
  const { product, taskIds } = job.world;
  await post(ada.context, `${product}/members`, { intent: "add", identifier: bela.name });
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

test("who looks on sees a criterion waived, by whom and why, and of two waivers at once one holds", async ({
  browser,
  baseURL,
}) => {
  const [ada, bela] = [await newPerson(browser), await newPerson(browser)];
  const job = await jobOfTwo(ada, bela, String(baseURL));
  const story = `/stories/${job.world.storyId}`;
  const pages = [await ada.context.newPage(), await bela.context.newPage()];
  const onlooker = await bela.context.newPage();
  await openLive(onlooker, `/jobs/${job.id}/proof`);
  for (const page of pages) {
    await openLive(page, story);
    await page.getByText("Waive…").click();
    await page.getByLabel("Why need this not be proven?").fill(`Seen in the shop`);
  }
  await sendTogether(pages, (page) => page.getByRole("button", { name: "Waive for good" }).click());

  const said = [];
  for (const page of [...pages, onlooker]) {
    await expect(page.getByRole("heading", { name: "Proof 1/1" })).toBeVisible();
    await expect(page.getByText("Waive…")).toBeHidden();
    const waiver = await page.getByText(/Waived by .*: Seen in the shop/).textContent();
    expect(waiver).toMatch(/ (now|ago): Seen/);
    said.push(waiver?.includes(ada.name) ? ada.name : bela.name);
  }
  expect(new Set(said).size).toBe(1);
  const [first, second] = said[0] === ada.name ? pages : pages.toReversed();
  await expect(first?.getByRole("region", { name: "Messages" }) ?? onlooker).toContainText(
    "Waived",
  );
  await expect(second?.getByRole("region", { name: "Messages" }) ?? onlooker).toContainText(
    "waived",
  );
  for (const page of [onlooker, ...pages]) await shown(page);
});

test("of two verdicts at once one holds, and the other reviewer reads why and keeps the words", async ({
  browser,
  baseURL,
}) => {
  const [ada, bela] = [await newPerson(browser), await newPerson(browser)];
  const job = await jobOfTwo(ada, bela, String(baseURL));
  const pages = [await ada.context.newPage(), await bela.context.newPage()];
  for (const page of pages) {
    await openLive(page, `/jobs/${job.id}/changes`);
    await page.getByLabel("Summary").fill("It should name the person.");
  }
  const [adas, belas] = pages;
  await sendTogether(pages, (page) =>
    page.getByRole("button", { name: page === adas ? "Approve" : "Request changes" }).click(),
  );
  const verdict = /(approved|requested changes of) attempt 1/;
  const said = [];
  for (const page of pages) {
    const line = page.getByRole("region", { name: "Review" }).getByRole("listitem");
    await expect(line).toHaveText(verdict);
    said.push((await line.textContent())?.includes(ada.name) ? ada.name : bela.name);
  }
  expect(new Set(said).size).toBe(1);
  const loser = said[0] === ada.name ? belas : adas;
  await expect(loser?.getByRole("region", { name: "Messages" }) ?? "").toContainText(
    /has (approved|requested changes of) attempt 1 already/,
  );
  await expect(loser?.getByLabel("Summary") ?? "").toHaveValue("It should name the person.");
  for (const page of pages) await shown(page);
});

/** Clean by axe in both themes, and no wider than a phone. */
async function shown(page: Page) {
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const theme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: theme });
      expect(await findings(page)).toEqual([]);
        path: `/tmp/q/shots/${Date.now()}-${width}-${theme}.png`,
        fullPage: true,
      });
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      width,
    );
  }
}
