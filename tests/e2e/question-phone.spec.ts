import { expect } from "@playwright/test";
import { test } from "./test";
import { callTool, newPerson, newToken, newWorld, signedIn } from "./world";

test("a question that an agent asks is answered with a thumb", async ({ browser }) => {
  const owner = await newPerson(browser);
  const world = await newWorld(owner.context);
  const token = await newToken(owner.context);
  const phone = await signedIn(browser, owner.name, {
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
  });
  const page = await phone.newPage();
  await page.goto("/dashboard");
  await expect(page.locator('[data-live="live"]')).toBeAttached();

  await callTool(owner.context, token, "ask_user_question", {
    story_id: world.storyId,
    question: "Which words?",
    options: [{ label: "Hello" }, { label: "Welcome" }],
    recommended_option: 1,
  });
  await page.getByRole("link", { name: "1 open question", exact: true }).tap();
  await expect(page.getByText("recommended")).toBeVisible();
  await page.getByRole("button", { name: "Welcome" }).tap();
  await expect(page.getByText("Nobody waits for you")).toBeVisible();

  await page.getByRole("link", { name: "Answered" }).tap();
  await expect(page.getByText("Welcome")).toBeVisible();
  await phone.close();
  await owner.context.close();
});
