import { expect } from "@playwright/test";
import { hold, openLive } from "./places";
import { test } from "./test";
import { newPerson, newWorld, post, signedIn } from "./world";

test("A view of the board is saved, shared, changed and deleted by keys", async ({ browser }) => {
  const { name, context } = await newPerson(browser);
  const world = await newWorld(context);
  const page = await context.newPage();
  await openLive(page, world.sprint);
  const card = (text: string) => page.getByRole("link", { name: text });
  const menu = page.getByRole("group", { name: "Views" });

  await page.keyboard.press("f");
  await page.keyboard.type("check");
  await expect(page.getByText("2 hidden by the filter.")).toBeVisible();
  // The first letter hides as many; what is kept is the look of the address.
  await expect(page).toHaveURL(/q=check\b/);
  // Esc leaves the field, and what is typed in it.
  await page.keyboard.press("Escape");
  await expect(page.getByLabel("Filter the board")).toHaveValue("check");
  await page.keyboard.press("Alt+v");
  await expect(menu.getByLabel("View name")).toBeFocused();
  await page.keyboard.type("Checks");
  // What React does after it has drawn comes late on a busy machine; the menu is the one of what is drawn all the same.
  await page.evaluate(() => {
    const post = MessagePort.prototype.postMessage;
    MessagePort.prototype.postMessage = function (this: MessagePort, message: unknown) {
      setTimeout(() => post.call(this, message), 300);
    };
    const observer = new MutationObserver(() => {
      const button = document.querySelector("[data-views]");
      if (!button?.textContent?.includes("View: Checks")) return;
      observer.disconnect();
      MessagePort.prototype.postMessage = post;
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "v", bubbles: true }));
    });
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await page.keyboard.press("Enter");
  await expect(menu.getByRole("link", { name: "Checks" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "View: Checks" })).toBeFocused();
  await expect(menu).toBeHidden();

  // Without it all cards are there; in it, what it keeps, and the field says so.
  await page.keyboard.press("v");
  await menu.getByRole("link", { name: "No view" }).click();
  await expect(card("Write the greeting")).toBeVisible();
  await expect(page.getByLabel("Filter the board")).toHaveValue("");
  await page.keyboard.press("v");
  await expect(menu.getByRole("link", { name: "Checks" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(card("Write the greeting")).toBeHidden();
  await expect(page.getByLabel("Filter the board")).toHaveValue("check");

  // What is changed in it is said, and kept when asked.
  await page.getByRole("button", { name: "Display" }).click();
  await page.getByLabel("Dense").check();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "View: Checks changed" }).click();
  await menu.getByRole("button", { name: "Update" }).click();
  await expect(page.getByRole("button", { name: "View: Checks", exact: true })).toBeVisible();
  await page.getByRole("button", { name: "View: Checks" }).click();
  await menu.getByText("Rename, share or delete").click();
  const rename = menu.getByRole("textbox", { name: "Name", exact: true });
  await rename.fill("All checks");
  await menu.getByLabel("Share with all members").first().check();
  await menu.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByRole("button", { name: "View: All checks" })).toBeVisible();

  // The palette has it too.
  await openLive(page, world.sprint);
  await page.keyboard.press("ControlOrMeta+k");
  await expect(page.getByRole("dialog").getByRole("combobox")).toBeFocused();
  await page.keyboard.type("all checks");
  await page.keyboard.press("Enter");
  await expect(page.locator("[data-dense]")).toBeVisible();
  await expect(card("Write the greeting")).toBeHidden();
  await context.close();

  const phone = await signedIn(browser, name, { javaScriptEnabled: false, viewport: { width: 390, height: 800 } });
  const small = await phone.newPage();
  await small.goto(world.sprint);
  await small.getByRole("button", { name: "Views" }).click();
  await small.getByRole("link", { name: "All checks" }).click();
  await expect(small.getByText("2 hidden by the filter.")).toBeVisible();
  await small.getByRole("button", { name: "View: All checks" }).click();
  await small.getByText("Rename, share or delete").click();
  await small.getByRole("button", { name: "Delete view" }).click();
  await expect(small.getByRole("button", { name: "Views", exact: true })).toBeVisible();
  await small.getByRole("button", { name: "Views", exact: true }).click();
  await expect(small.getByText("A view saves the filter")).toBeVisible();
  await phone.close();
});

test("A private view of the backlog is saved with the details that its rows leave out", async ({
  world,
  ownPage: page,
}) => {
  await openLive(page, `${world.product}/backlog`);
  const count = page.getByTitle("0 of 3 tasks done");
  await expect(count).toBeVisible();
  await page.getByRole("button", { name: "Display" }).click();
  await page.getByLabel("Done count").uncheck();
  await expect(count).toBeHidden();
  await page.keyboard.press("Escape");
  await page.getByRole("combobox", { name: "Sprint" }).selectOption("SP-1");
  await expect(page).toHaveURL(/sprint=SP-1/);
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByLabel("View name").fill("Under way");
  await page.getByRole("button", { name: "Save view" }).click();
  await page.getByRole("button", { name: "View: Under way" }).click();
  await page.getByLabel("View name").fill("under way");
  await page.getByRole("button", { name: "Save view" }).click();
  await expect(page.getByText('A view named "under way" already exists.')).toBeVisible();
  await page.goto(`${world.product}/backlog`);
  await expect(count).toBeVisible();
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("link", { name: "Under way" }).click();
  await expect(page.getByRole("combobox", { name: "Sprint" })).toHaveValue("SP-1");
  await expect(count).toBeHidden();
});

test("a view is shown once saved, although the page was loading a change of another person", async ({
  owner,
  world,
  ownPage: page,
}) => {
  await openLive(page, world.sprint);
  const earlier = (url: URL) => url.searchParams.has("_data") && !url.searchParams.has("view");
  const letGo = await hold(page, earlier, (request) => request.method() === "GET");
  const reload = page.waitForRequest((request) => earlier(new URL(request.url())));
  await post(owner.context, `${world.product}/backlog`, {
    intent: "create-task",
    story_id: world.storyId,
    title: "Say it twice",
  });
  await reload;

  await page.keyboard.press("Alt+v");
  await page.keyboard.type("All of it");
  const saved = page.waitForResponse((answer) => answer.request().method() === "POST");
  await page.keyboard.press("Enter");
  await saved;
  letGo();
  await expect(page.getByRole("button", { name: "View: All of it" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Say it twice" })).toBeVisible();
  await expect(page).toHaveURL(/view=/);
});
