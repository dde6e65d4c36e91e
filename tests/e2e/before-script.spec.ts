import { expect } from "@playwright/test";
import { heldJob, patchOf } from "./held-job";
import { expectLive, openLive, openWithoutScript } from "./places";
import { test } from "./test";
import { newPerson, newWorld, post, signedIn } from "./world";

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

for (const [device, options] of [
  ["desktop", {}],
  ["phone", phone],
] as const) {
  test(`On a ${device} a property chosen before the script loads is saved, once`, async ({ browser }) => {
    const owner = await newPerson(browser);
    const world = await newWorld(owner.context);
    const context = await signedIn(browser, owner.name, options);
    const page = await context.newPage();
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") sent.push(request.postData() ?? "");
    });
    const story = `/stories/${world.storyId}`;
    const priority = page.getByLabel("Priority");
    const goOn = await openWithoutScript(page, story);
    await priority.selectOption("1 Urgent");
    // Chosen and chosen back: nothing to save.
    const sprint = page.getByLabel("Sprint");
    await sprint.selectOption("In no sprint");
    await sprint.selectOption({ index: 1 });
    await goOn();
    await expect(page.getByText("Saved", { exact: true }).first()).toBeVisible();
    await expect(priority).toHaveValue("1");
    expect(sent).toHaveLength(1);
    expect(sent[0]).toContain("priority");

    // Someone else says something else: what was here at the last visit is no one's choice now.
    await post(owner.context, story, { intent: "update", priority: "4" });
    await expect(priority).toHaveValue("4");
    await priority.selectOption("2 High");
    await expect.poll(() => sent.length).toBe(2);
    await page.goto("/settings");
    await post(owner.context, story, { intent: "update", priority: "3" });
    await page.goBack();
    await expectLive(page);
    await expect(priority).toHaveValue("3");
    await page.reload();
    await expectLive(page);
    await expect(priority).toHaveValue("3");
    expect(sent).toHaveLength(2);
  });

  test(`On a ${device} a filter set before the script loads applies`, async ({ browser }) => {
    const owner = await newPerson(browser);
    const world = await newWorld(owner.context);
    const context = await signedIn(browser, owner.name, options);
    const page = await context.newPage();
    const backlog = `${world.product}/backlog`;
    await post(owner.context, backlog, { intent: "create-story", pbi_id: world.pbiId, title: "Say goodbye" });
    let goOn = await openWithoutScript(page, `${backlog}?open=all`);
    await page.getByRole("combobox", { name: "Status" }).selectOption("In sprint");
    const search = page.getByRole("searchbox", { name: "Filter by code, title, label or person" });
    await search.fill("greeting");
    await search.blur();
    await goOn();
    await expect(page).toHaveURL(/q=greeting/);
    await expect(page).toHaveURL(/status=in_sprint/);
    await expect(search).toHaveValue("greeting");
    await expect(page.getByRole("combobox", { name: "Status" })).toHaveValue("in_sprint");
    await expect(page.getByRole("link", { name: "Say goodbye" })).not.toBeAttached();

    goOn = await openWithoutScript(page, world.sprint);
    await page.getByRole("button", { name: "Display" }).click();
    await page.getByRole("combobox", { name: "Layout" }).selectOption("List");
    await goOn();
    await expect(page).toHaveURL(/as=list/);
    await expect(page.getByRole("combobox", { name: "Layout" })).toHaveValue("list");
  });
}

test("A product chosen before the script loads is the one that is shown", async ({ world, ownPage: page }) => {
  const goOn = await openWithoutScript(page, "/agents");
  await page.getByRole("combobox", { name: "Product" }).selectOption({ index: 1 });
  await goOn();
  await expect(page).toHaveURL(new RegExp(`product=${world.productId}`));
  // Where the list has nothing chosen and nothing can be left out, the first product is no one's choice.
  await openLive(page, "/insights");
  await expect(page).toHaveURL(/insights$/);
});

test("A list pasted before the script loads is counted, and goes where it was sent", async ({
  world,
  ownPage: page,
}) => {
  const goOn = await openWithoutScript(page, `${world.product}/backlog?panel=paste`);
  await page.getByLabel("List", { exact: true }).fill("- Wave\n- Smile");
  await page.getByLabel("Add to").selectOption(`story:${world.storyId}`);
  await goOn();
  await page.getByRole("button", { name: "Create 2 tasks" }).click();
  await expect(page.getByText("Created 2 tasks.")).toBeVisible();
});

test("A search in a job's output typed before the script loads runs once it has loaded", async ({
  baseURL,
  owner,
  ownPage: page,
}) => {
  const job = await heldJob(owner, String(baseURL));
  const goOn = await openWithoutScript(page, `/jobs/${job.id}`);
  const search = page.getByRole("searchbox", { name: "Search in the output" });
  await search.fill("loom");
  await goOn();
  await expect(page.getByText('No matches for "loom".')).toBeVisible();
  await expect(search).toHaveValue("loom");
});

test("Boxes that were ticked or cleared before the script loads stay so", async ({ baseURL, owner, ownPage: page }) => {
  const job = await heldJob(owner, String(baseURL));
  const names = ["a.ts", "b.ts", "c.ts"];
  await job.sendDiff(...names.map((name) => patchOf(name, ["-one", "+two"])));
  let goOn = await openWithoutScript(page, `/jobs/${job.id}`);
  const follow = page.getByRole("checkbox", { name: "Follow" });
  await expect(follow).toBeChecked();
  await follow.uncheck();
  await goOn();
  await expect(follow).not.toBeChecked();

  const viewed = (name: string) => page.getByRole("region", { name }).getByRole("checkbox", { name: "Viewed" });
  goOn = await openWithoutScript(page, `/jobs/${job.id}/changes`);
  // Without script each press is a form that loads the page again.
  for (const name of ["a.ts", "b.ts"]) {
    await viewed(name).click();
    await expect(viewed(name)).toBeChecked();
  }
  await goOn();
  await openLive(page, `/jobs/${job.id}/changes`);
  await expect(viewed("a.ts")).toBeChecked();
  await expect(viewed("b.ts")).toBeChecked();
  await expect(viewed("c.ts")).not.toBeChecked();
});
