import { expect } from "@playwright/test";
import { openLive } from "./places";
import { test } from "./test";
import { newPerson, newWorld, post } from "./world";

test("what people write is text in rows, and the page comes to life over them", async ({
  browser,
}) => {
  const { context } = await newPerson(browser);
  const world = await newWorld(context);
  const title =
    "</script><script>alert(1)</script><!-- & &lt; --> '\"><img src=x onerror=alert(2)>\u2028 end";
  const [task_id = ""] = world.taskIds;
  await post(context, `/tasks/${task_id}`, { intent: "edit", task_id, title });
  const page = await context.newPage();
  page.on("dialog", () => {
    throw new Error("What somebody wrote was run");
  });
  for (const address of [world.sprint, `${world.product}/backlog?open=all`]) {
    await openLive(page, address);
    const row = page.locator(`[data-line="task:${task_id}"] [data-row]`);
    await expect(row).toHaveText(title);
    await expect(page.locator("img[src=x]")).toHaveCount(0);
  }
  await context.close();
});
