import { expect } from "@playwright/test";
import { openLive, openWithKeys } from "./places";
import { test } from "./test";
import { lastId, newPerson, newWorld, post } from "./world";

test("A link fills in the form for a new story, and the form gives such a link", async ({ browser }) => {
  const { context } = await newPerson(browser, { permissions: ["clipboard-read", "clipboard-write"] });
  const world = await newWorld(context);
  const second = { intent: "create-pbi", title: "Part from visitors", code: "PART" };
  const pbiId = lastId(await post(context, `${world.product}/backlog`, second));
  const page = await context.newPage();
  const form = page.getByRole("complementary", { name: "Details" });
  const values = "title=Greet+in+Welsh&acceptance_criteria=-+Bore+da&priority=1&pbi=PART";
  await openWithKeys(page, `${world.product}/backlog?q=greet&panel=new-story&${values}`);
  await expect(form.getByLabel("Title")).toHaveValue("Greet in Welsh");
  await expect(form.getByLabel("Acceptance criteria")).toHaveValue("- Bore da");
  await expect(form.getByLabel("Priority")).toHaveValue("1");

  await form.getByLabel("Description").fill("For *Wales*.");
  await form.getByRole("button", { name: "Copy link with these values" }).click();
  await expect(form.getByRole("button", { name: "Copied" })).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.goto(link);
  await expect(form.getByLabel("Title")).toHaveValue("Greet in Welsh");
  await expect(form.getByLabel("Description")).toHaveValue("For *Wales*.");
  await expect(form.getByLabel("PBI")).toHaveValue(pbiId);

  await form.getByRole("button", { name: "Create story" }).click();
  await expect(form.getByRole("heading").first()).toContainText("ST-002");
  expect(new URL(page.url()).searchParams.get("title")).toBeNull();
});

test("Lines selected in a description become tasks of its story", async ({ owner, world, ownPage: page }) => {
  const story = `/stories/${world.storyId}`;
  const description = "Steps:\n\n- Ask for the name\n- Say it aloud";
  await post(owner.context, story, { intent: "update", description });
  await openWithKeys(page, story);
  const first = page.getByText("Ask for the name");
  const last = page.getByText("Say it aloud");
  const [from, to] = [await first.boundingBox(), await last.boundingBox()];
  if (!from || !to) throw new Error("The description is not on the page");
  await page.mouse.move(from.x + 1, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x + to.width - 1, to.y + to.height - 3, { steps: 8 });
  await page.mouse.up();
  await page.getByRole("button", { name: "Create tasks from selection" }).click();

  const panel = page.getByRole("complementary", { name: "Details" });
  await expect(panel.getByLabel("Add to")).toHaveValue(`story:${world.storyId}`);
  await expect(panel.getByRole("region", { name: "Preview" })).toContainText("Say it aloud");
  await panel.getByRole("button", { name: "Create 2 tasks" }).click();
  await expect(panel.getByText("Created 2 tasks.")).toBeVisible();
  await expect(page.getByText("Ask for the name").first()).toBeVisible();
});

test("Ctrl Shift Enter creates an item and opens its form again, empty and in the same place", async ({
  world,
  ownPage: page,
}) => {
  const panel = page.getByRole("complementary", { name: "Details" });
  await openWithKeys(page, `${world.product}/backlog?panel=new-task&story=${world.storyId}`);
  for (const [title, code] of [
    ["Sing the greeting", "T-4"],
    ["Hum the greeting", "T-5"],
  ] as const) {
    await panel.getByLabel("Title").fill(title);
    await panel.getByLabel("Description").fill("Aloud");
    await panel.getByLabel("Description").press("ControlOrMeta+Shift+Enter");
    await expect(panel.getByText(`${code} created.`)).toBeVisible();
    await expect(panel.getByLabel("Title")).toHaveValue("");
    await expect(panel.getByLabel("Title")).toBeFocused();
    await expect(page.locator("[data-line^=task]").filter({ hasText: title })).toBeVisible();
  }
  await panel.getByLabel("Title").press("ControlOrMeta+Enter");
  await expect(panel.getByText("Fill this in.")).toBeVisible();
  await panel.getByLabel("Title").fill("Whistle the greeting");
  await expect(panel.getByText("Fill this in.")).toBeHidden();
  await panel.getByLabel("Title").press("ControlOrMeta+Enter");
  await expect(panel.getByRole("heading").first()).toContainText("T-6");

  await openLive(page, "/ideas?panel=new");
  await page.getByLabel("Title").fill("A chorus");
  await page.getByRole("button", { name: "Create and add another" }).click();
  await expect(page.getByText(/^\S+ created\.$/)).toBeVisible();
  await expect(page.getByLabel("Title")).toHaveValue("");
  await expect(page.getByLabel("Title")).toBeFocused();
});
