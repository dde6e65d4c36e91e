import { expect } from "@playwright/test";
import { openLive, openWithKeys } from "./places";
import { test } from "./test";
import { letIn, newPerson, post } from "./world";

test("A title with markup is shown as text in rows, and the page still becomes interactive", async ({
  owner,
  world,
  ownPage: page,
}) => {
  const title = "</script><script>alert(1)</script><!-- & &lt; --> '\"><img src=x onerror=alert(2)>\u2028 end";
  const [task_id = ""] = world.taskIds;
  await post(owner.context, `/tasks/${task_id}`, { intent: "edit", task_id, title });
  page.on("dialog", () => {
    throw new Error("What someone wrote was run");
  });
  for (const address of [world.sprint, `${world.product}/backlog?open=all`]) {
    await openLive(page, address);
    const row = page.locator(`[data-line="task:${task_id}"] [data-row]`);
    await expect(row).toHaveText(title);
    await expect(page.locator("img[src=x]")).toHaveCount(0);
  }
});

test("Viewers too copy a row's link, code and branch by keys, from its menu and the palette", async ({
  browser,
  owner,
  world,
}) => {
  const viewer = await newPerson(browser, { permissions: ["clipboard-read", "clipboard-write"] });
  await letIn(owner, world.product, viewer);
  const members = await (await owner.context.request.get(`${world.product}/members`)).text();
  const [, user_id = ""] = /name="user_id" value="([^"]+)"/.exec(members) ?? [];
  await post(owner.context, `${world.product}/members`, { intent: "role", user_id, role: "viewer" });
  const page = await viewer.context.newPage();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await openWithKeys(page, `${world.product}/backlog`);
  const row = page.getByRole("link", { name: "Show the greeting" });
  await row.focus();
  await page.keyboard.press("ControlOrMeta+.");
  await expect(page.getByText("Copied T-2")).toBeVisible();
  expect(await copied()).toBe("T-2");
  await page.keyboard.press("ControlOrMeta+Shift+,");
  await expect(page.getByText("Copied the link to T-2")).toBeVisible();
  expect(await copied()).toMatch(new RegExp(`^http.*/tasks/${world.taskIds[1]}$`));
  await page.keyboard.press("ControlOrMeta+Shift+.");
  await expect(page.getByText("Copied backloom/ST-001")).toBeVisible();
  expect(await copied()).toBe("backloom/ST-001");

  await page.getByRole("link", { name: "Write the greeting" }).click({ button: "right" });
  await page.getByRole("group", { name: "Actions for T-1" }).getByText("Copy code").click();
  await expect(page.getByText("Copied T-1")).toBeVisible();
  expect(await copied()).toBe("T-1");

  await page.goto(`/stories/${world.storyId}`);
  await expect(page.locator("[data-item-keys]")).toBeAttached();
  await page.keyboard.press("ControlOrMeta+k");
  await expect(page.getByRole("dialog").getByRole("combobox")).toBeFocused();
  await page.keyboard.type("copy branch");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Copied backloom/ST-001")).toBeVisible();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toContainText("Copy branch name");
});
