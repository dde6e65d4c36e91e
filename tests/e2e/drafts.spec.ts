import { expect } from "@playwright/test";
import { openLive } from "./places";
import { test } from "./test";
import { newPerson, password, post } from "./world";

test("A form for a new item offers what was typed again after leaving, reloading or signing out", async ({
  owner: { name, context },
  world,
  ownPage: page,
}) => {
  const form = `${world.product}/backlog?panel=new-story`;
  const title = page.getByLabel("Title", { exact: true });
  await openLive(page, form);
  await title.fill("Say goodbye");
  await page.getByLabel("Description").fill("With a wave");

  await openLive(page, `${world.product}/sprints`);
  await openLive(page, form);
  await expect(title).toHaveValue("");
  await page.getByRole("button", { name: "Restore" }).click();
  await expect(title).toHaveValue("Say goodbye");

  await page.reload();
  await expect(page.getByText("You have an unsaved draft.")).toBeVisible();
  await post(context, "/logout", {});
  await page.goto("/login");
  await post(context, "/login", { identifier: name, password });
  await openLive(page, form);
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByLabel("Description").press("ControlOrMeta+Enter");
  await expect(page.getByRole("complementary", { name: "Details" })).toContainText("ST-002");

  await openLive(page, form);
  await expect(title).toBeFocused();
  await expect(page.getByText("You have an unsaved draft.")).toBeHidden();
});

test("A text edited in place survives a reload, and overwrites no change unseen", async ({
  owner,
  world,
  ownPage: page,
}) => {
  page.on("dialog", (dialog) => dialog.accept());
  await openLive(page, `/stories/${world.storyId}`);
  await page.getByRole("button", { name: "Edit description" }).click();
  await page.getByRole("textbox", { name: "Description" }).fill("It sings");
  // Someone else saves while the draft waits: whoever continues sees both.
  await post(owner.context, `/stories/${world.storyId}`, { intent: "update", description: "It hums" });
  await page.goto(`/stories/${world.storyId}`);
  await page.getByRole("button", { name: /^Go on/ }).click();
  const field = page.getByRole("textbox", { name: "Description" });
  await expect(field).toHaveValue("It sings");
  await expect(page.getByRole("region", { name: "Description" })).toContainText("It hums");
  // The key that saves does not replace the text of someone else: the button does.
  await field.press("ControlOrMeta+Enter");
  await expect(field).toHaveValue("It sings");
  await expect(page.getByText("Saved", { exact: true })).toBeHidden();
  await page.getByRole("button", { name: "Replace theirs" }).click();
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  await page.reload();
  await expect(page.getByText("It sings")).toBeVisible();
  await expect(page.getByText("You have unsaved text.")).toBeHidden();
});

test("A list pasted onto an empty product makes its first PBI, and leaves the panel empty", async ({ browser }) => {
  const { context } = await newPerson(browser);
  const backlog = await post(context, "/products/new", { name: "Planes" });
  const page = await context.newPage();
  await openLive(page, backlog);
  await expect(page.getByRole("link", { name: "Import a backlog" })).toBeVisible();
  await page.locator("main").evaluate((main) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", "- Fold it\n  - Find the middle\n- Throw it");
    main.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
  });
  await page.getByLabel("Title of the new PBI").fill("Planes of paper");
  await page.getByRole("button", { name: "Create 2 stories and 1 task" }).click();
  await expect(page.getByText("Created 2 stories and 1 task.")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "List" })).toHaveValue("");
  const lines = page.locator("[data-line]");
  await expect(lines.first()).toContainText("Planes of paper");
  await expect(lines).toHaveCount(4);
});
