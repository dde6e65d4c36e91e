import { expect } from "@playwright/test";
import { findingsInBothThemes } from "./axe";
import { openLive } from "./places";
import { test } from "./test";
import { newPerson, newWorld, password, unique } from "./world";

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

test("On phones without script, a person joins by a link with a new account, comments, becomes a member", async ({
  browser,
}) => {
  const bare = { ...phone, javaScriptEnabled: false };
  const ada = await newPerson(browser, bare);
  const world = await newWorld(ada.context);
  const owner = await ada.context.newPage();
  await owner.goto(`${world.product}/members`);
  await owner.locator("#invitation-role").selectOption("Viewer");
  await owner.getByRole("button", { name: "Invite", exact: true }).click();
  const link = String(await owner.getByText(/\/join\//).textContent());

  const guest = await (await browser.newContext(bare)).newPage();
  await guest.goto(link);
  await expect(guest.getByText(`${ada.name} invites you to`)).toContainText("a viewer");
  await guest.getByRole("link", { name: "Create an account and join" }).click();
  const name = `v-${unique()}`;
  await guest.getByLabel("Username").fill(name);
  await guest.getByLabel("Email").fill(`${name}@example.com`);
  await guest.getByLabel("Password", { exact: true }).fill(password);
  await guest.getByRole("button", { name: "Create account" }).click();
  await expect(guest).toHaveURL(/\/backlog$/);

  await guest.goto(`/tasks/${world.taskIds[0]}`);
  await guest.getByLabel("Add a comment").fill("I only lok.");
  await guest.getByRole("button", { name: "Comment", exact: true }).click();
  const own = guest.getByRole("article", { name: `Comment by ${name}` });
  await own.getByText("Edit", { exact: true }).click();
  await own.getByRole("textbox", { name: "Comment" }).fill("I only look.");
  await own.getByRole("button", { name: "Save comment" }).click();
  await expect(own.getByText("edited")).toBeVisible();
  await own.getByRole("button", { name: "Delete" }).click();
  await guest.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect(own).toHaveCount(0);

  await owner.goto(`${world.product}/members`);
  await owner.getByRole("button", { name: `Make ${name} a member` }).click();
  await expect(owner.getByRole("button", { name: `Make ${name} a viewer` })).toBeVisible();
  const { scrollWidth, clientWidth } = await owner.evaluate(() => document.documentElement);
  expect(scrollWidth).toBe(clientWidth);
  for (const page of [owner, guest]) await page.context().close();
});

test("By keys alone, a person is invited by name, accepts, comments, edits and deletes the comment", async ({
  browser,
}) => {
  const ada = await newPerson(browser);
  const bob = await newPerson(browser);
  const world = await newWorld(ada.context);
  const [page, other] = [await ada.context.newPage(), await bob.context.newPage()];
  await openLive(page, `${world.product}/members`);
  await page.getByLabel("Username or email").focus();
  await page.keyboard.type(bob.name);
  await page.keyboard.press("Enter");
  await expect(page.getByText(`${bob.name} is invited`)).toBeVisible();
  await expect(page.getByLabel("Username or email")).toHaveValue("");
  // The next one can be invited at once.
  await expect(page.getByRole("combobox", { name: "Role" }).last()).toHaveValue("member");
  expect(await findingsInBothThemes(page)).toEqual([]);

  await openLive(other, "/inbox?show=invitations");
  expect(await findingsInBothThemes(other)).toEqual([]);
  await other.getByRole("button", { name: /^Accept/ }).focus();
  await other.keyboard.press("Enter");
  await expect(other).toHaveURL(/\/backlog$/);

  await openLive(other, `/tasks/${world.taskIds[0]}`);
  await other.getByLabel("Add a comment").focus();
  await other.keyboard.type("Here I am.");
  await other.keyboard.press("ControlOrMeta+Enter");
  const own = other.getByRole("article", { name: `Comment by ${bob.name}` });
  await own.getByText("Edit", { exact: true }).focus();
  await other.keyboard.press("Enter");
  await other.keyboard.press("Tab");
  await other.keyboard.press("ControlOrMeta+A");
  await other.keyboard.type("Here we are.");
  await other.keyboard.press("ControlOrMeta+Enter");
  await expect(own).toContainText("Here we are.");
  await own.getByRole("button", { name: "Delete" }).focus();
  await other.keyboard.press("Enter");
  await expect(other.getByRole("alertdialog")).toBeVisible();
  await other.keyboard.press("Tab");
  await other.keyboard.press("Enter");
  await expect(own).toHaveCount(0);
});
