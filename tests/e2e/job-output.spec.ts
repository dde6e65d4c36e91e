import { type APIResponse, expect } from "@playwright/test";
import { z } from "zod";
import { connectClient } from "../mcp/clients";
import { heldJob } from "./held-job";
import { openWithoutScript } from "./places";
import { test } from "./test";
import { newPerson, newToken } from "./world";

const claimed = z.object({ job: z.object({ id: z.string(), attempt: z.number() }) });

test("people watch what an agent says while it works, and read it when it has ended", async ({
  baseURL,
  owner,
  world,
  ownPage: page,
}) => {
  const token = await newToken(owner.context);
  const agent = await connectClient({ origin: String(baseURL) }, token, "2026-07-28", "/mcp");
  await agent.call("start_sprint_run", { sprint_id: world.sprintId });
  const { result } = await agent.call("wait_for_job", { worker: "laptop", wait_seconds: 0 });
  const { job } = claimed.parse(result);
  const say = (...entries: Record<string, unknown>[]): Promise<APIResponse> =>
    owner.context.request.post(`/api/jobs/${job.id}/output`, {
      headers: { authorization: `Bearer ${token}` },
      data: {
        attempt: job.attempt,
        entries: entries.map((entry) => ({ at: new Date().toISOString(), kind: "text", ...entry })),
      },
    });
  expect((await say({ seq: 1, text: "I read the plan." })).status()).toBe(202);

  const board = await owner.context.newPage();
  await board.goto(`/products/${world.productId}/sprints/${world.sprintId}`);
  const card = board.locator("[data-task]", { hasText: "Write the greeting" });
  await expect(card.locator("[data-doing]")).toContainText("said I read the plan.");

  await page.goto("/agents");
  await page.getByRole("link", { name: /Write the greeting/ }).click();
  await expect(page.getByText("I read the plan.")).toBeVisible();
  await expect(page.getByText("Attempt 1: running")).toBeVisible();

  await say(
    { seq: 2, kind: "command", title: "npm test", text: "3 passed", status: "exit 0" },
    { seq: 3, text: "<b>Now the page.</b>" },
  );
  await say({ seq: 4, text: "All is written." });
  await expect(page.getByText("All is written.")).toBeVisible();
  // Boards are told about once a second, so of an agent that continues they see the latest of each second.
  let seq = 4;
  await expect(async () => {
    seq += 1;
    await say({ seq, kind: "test", title: "npm run check", text: "", status: "running" });
    const words = /testing npm run check, \d+ s ago/;
    await expect(card.locator("[data-doing]")).toContainText(words, { timeout: 900 });
  }).toPass();
  await expect(page.getByText("<b>Now the page.</b>")).toBeVisible();
  await page.getByText("npm test").click();
  await expect(page.getByText("3 passed")).toBeVisible();

  await page.getByRole("searchbox", { name: "Search in the output" }).fill("written");
  await expect(page.getByText("I read the plan.")).toBeHidden();
  await page.getByRole("searchbox", { name: "Search in the output" }).fill("");

  const end = { job_id: job.id, attempt: job.attempt, status: "done", verify_result: "ALIGNED" };
  await agent.call("update_job_status", end);
  await expect(page.getByText("Attempt 1: done")).toBeVisible();
  await expect(page.getByRole("checkbox", { name: "Follow" })).toBeHidden();
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.getByText("All is written.")).toBeVisible();
});

test("A long transcript is shown from its beginning, with nothing left out", async ({ browser, baseURL }) => {
  const owner = await newPerson(browser);
  const job = await heldJob(owner, String(baseURL));
  for (let first = 1; first <= 5_600; first += 400) {
    const at = new Date().toISOString();
    const entries = Array.from({ length: 400 }, (_, n) => ({
      seq: first + n,
      at,
      kind: "text",
      text: `Line ${first + n}.`,
    }));
    const answer = await owner.context.request.post(`/api/jobs/${job.id}/output`, {
      headers: { authorization: `Bearer ${job.token}` },
      data: { attempt: job.attempt, entries },
    });
    expect(answer.status()).toBe(202);
  }
  const page = await owner.context.newPage();
  const goOn = await openWithoutScript(page, `/jobs/${job.id}`);
  const earlier = page.getByRole("button", { name: "Show 5300 earlier" });
  // What needs the script says so until it is there: a press before that would be lost.
  await expect(earlier).toBeDisabled();
  await goOn();
  const reading = "**/output?attempt=1&after=5000&limit=5000";
  await page.route(reading, (route) => route.fulfill({ status: 429 }));
  await earlier.click();
  await expect(page.getByText("Earlier entries could not be loaded.")).toBeVisible();
  await page.unroute(reading);
  await earlier.click();
  // Counted first: each time that `toBeVisible` does not find its element, it looks at the style of every other one,
  // and while entries that were never drawn have none, that takes this page longer than the journey waits.
  await expect(page.locator("[data-kind]")).toHaveCount(5_600);
  await expect(page.getByText("Line 1.", { exact: true })).toBeVisible();
});

test("A transcript of endless words does not slow the browser down", async ({ browser, baseURL }) => {
  const owner = await newPerson(browser);
  const open = async (line: string): Promise<number> => {
    const job = await heldJob(owner, String(baseURL));
    const text = line.repeat(Math.ceil(60_000 / line.length));
    for (let seq = 1; seq <= 6; seq++) {
      const answer = await owner.context.request.post(`/api/jobs/${job.id}/output`, {
        headers: { authorization: `Bearer ${job.token}` },
        data: { attempt: job.attempt, entries: [{ seq, at: new Date().toISOString(), kind: "text", text }] },
      });
      expect(answer.status()).toBe(202);
    }
    const page = await owner.context.newPage();
    await page.goto(`/jobs/${job.id}`);
    const heights = page.locator("[data-kind] pre");
    await expect(heights).toHaveCount(2);
    // Laid out again, by the clock of the page.
    const took = await heights.last().evaluate((text) => {
      const began = performance.now();
      for (const width of ["300px", "310px", "320px"]) {
        text.style.width = width;
        if (text.getBoundingClientRect().height === 0) throw new Error("The text is not there");
      }
      return performance.now() - began;
    });
    await page.close();
    return took;
  };
  // In one piece each of them takes more than a minute.
  expect(await open("x1")).toBeLessThan(10_000);
});
