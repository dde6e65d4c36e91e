import { expect } from "@playwright/test";
import { findingsInBothThemes } from "./axe";
import { heldJob } from "./held-job";
import { openLive } from "./places";
import { test } from "./test";
import { newPerson } from "./world";

test("A person writes to an agent at work, and sees on the job and the task that it was read", async ({
  browser,
  baseURL,
}) => {
  const ada = await newPerson(browser);
  const job = await heldJob(ada, String(baseURL));
  const held = { job_id: job.id, attempt: job.attempt };
  const [page, task] = [await ada.context.newPage(), await ada.context.newPage()];
  await openLive(page, `/jobs/${job.id}`);
  await openLive(task, `/tasks/${job.world.taskIds[0]}`);

  await page.getByLabel("Write to the agent").fill("Greet them by their **first** name.");
  await page.keyboard.press("ControlOrMeta+Enter");
  const messages = page.getByRole("region", { name: "Messages to the agent" });
  await expect(messages.getByRole("listitem")).toContainText("first name");
  await expect(messages.getByRole("listitem").getByText("Sent to the agent")).toBeVisible();
  await expect(page.getByLabel("Write to the agent")).toHaveValue("");
  await expect(task.locator("#comments").getByText("Sent to the agent")).toBeVisible();

  await task.getByLabel("Add a comment").fill("And say goodbye.");
  await task.getByLabel("Send to the agent").check();
  await task.getByRole("button", { name: "Comment", exact: true }).click();
  await expect(messages.getByRole("listitem")).toHaveCount(2);
  const { result } = await job.agent.call("job_heartbeat", held);
  expect(result).toMatchObject({
    messages: [{ text: "Greet them by their **first** name." }, { text: "And say goodbye." }],
  });
  await expect(messages.getByText("Seen by the agent in attempt 1")).toHaveCount(2);
  await expect(task.locator("#comments").getByText("Seen by the agent")).toHaveCount(2);
  expect(await findingsInBothThemes(page, "#messages")).toEqual([]);
  expect(await findingsInBothThemes(task, "#comments")).toEqual([]);
});
