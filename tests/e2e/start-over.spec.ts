import { expect } from "@playwright/test";
import { heldJob } from "./held-job";
import { openLive } from "./places";
import { test } from "./test";

const head = "b".repeat(40);

test("A sprint starts over from main after one confirmation, and its story shows who decided", async ({
  baseURL,
  owner: ada,
  ownPage: page,
}) => {
  const { agent, token, id: job_id, attempt, world } = await heldJob(ada, String(baseURL));
  await agent.call("update_job_status", {
    job_id,
    attempt,
    status: "done",
    verify_result: "ALIGNED",
    base_sha: "a".repeat(40),
    head_sha: head,
    pushed_at: new Date().toISOString(),
  });
  const headers = { authorization: `Bearer ${token}` };
  const job = await (await ada.context.request.get(`/api/jobs/${job_id}`, { headers })).json();
  await agent.call("cancel_sprint_run", { sprint_run_id: job.sprint_run_id });

  const story = await ada.context.newPage();
  await openLive(page, world.sprint);
  await openLive(story, `/stories/${world.storyId}`);
  const work = / continues backloom\/.*not on main/;
  const startsFrom = page.getByRole("list", { name: "Starts from" });
  await page.getByRole("link", { name: "Start run" }).click();
  await expect(startsFrom).toHaveText(work);
  await expect(story.getByText(work)).toBeVisible();

  const ask = page.getByRole("button", { name: "Start over from main" });
  const dialog = page.getByRole("alertdialog");
  await ask.click();
  await expect(dialog).toContainText("The next run leaves this work out.");
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(startsFrom).toHaveText(work);

  await ask.click();
  await dialog.getByRole("button", { name: "Start over", exact: true }).click();
  await expect(startsFrom).toBeHidden();
  await expect(ask).toBeHidden();
  await expect(page.getByRole("button", { name: /^Start run of/ })).toBeVisible();

  await story.reload();
  await expect(story.getByText("Starts from main.")).toBeVisible();
  const trail = story.getByRole("list", { name: "Started over" });
  await expect(trail).toContainText(`${ada.name} started over from main`);
  await expect(trail).toContainText(head.slice(0, 8));
});
