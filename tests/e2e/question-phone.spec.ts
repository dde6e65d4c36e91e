import { type BrowserContext, expect } from "@playwright/test";
import { z } from "zod";
import { connectClient } from "../mcp/clients";
import { openReceiver } from "../notices/local-receiver";
import { createDevice } from "../notices/push-device";
import { openLive } from "./places";
import { test } from "./test";
import { newToken, post, signedIn } from "./world";

const messageSchema = z.object({ body: z.string(), url: z.string() });

/** Their phone's subscription at a push service on this machine, sent as the page sends it. */
async function subscribe(context: BrowserContext) {
  const service = await openReceiver("https");
  const device = createDevice(`${service.origin}/push/phone`);
  await post(context, "/settings/notifications", { intent: "subscribe", ...device.subscription });
  return {
    /** The message with this question, as the phone reads it. */
    async message(question: string) {
      const read = () =>
        service.deliveries
          .map(({ body }) => messageSchema.parse(device.read(body)))
          .find(({ body }) => body === question);
      await expect.poll(read).toBeDefined();
      return messageSchema.parse(read());
    },
    close: () => service.close(),
  };
}

test("An agent's question reaches a phone, a thumb answers it, and the agent gets the answer", async ({
  browser,
  baseURL,
  owner,
  world,
}) => {
  const token = await newToken(owner.context);
  const agent = await connectClient({ origin: String(baseURL) }, token, "2026-07-28", "/mcp/worker");
  const phone = await signedIn(browser, owner.name, {
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
  });
  const push = await subscribe(phone);
  const page = await phone.newPage();
  await openLive(page, "/dashboard");

  const ask = { story_id: world.storyId };
  const { result: asked } = await agent.call("ask_user_question", {
    ...ask,
    question: "Which words?",
    options: [{ label: "Hello" }, { label: "Welcome" }],
    recommended_option: 1,
  });
  // A later one comes before it in the list, were it not for the message.
  await agent.call("ask_user_question", { ...ask, question: "Which color?" });
  await expect(page.getByRole("link", { name: "2 waiting for you", exact: true })).toBeVisible();

  // A tap on the message opens its question.
  const { url } = await push.message("Which words?");
  await page.goto(url);
  const questions = page.getByRole("article");
  await expect(questions.first()).toContainText("Which words?");
  await expect(questions.first()).toContainText("recommended");
  // A slip of the thumb is taken back before the agent hears of it.
  await page.getByRole("button", { name: "Hello" }).tap();
  await expect(questions.first()).toContainText("The agent gets this in 5 seconds.");
  await page.getByRole("button", { name: "Undo" }).tap();
  await page.getByRole("button", { name: "Welcome" }).tap();
  await page.getByRole("button", { name: "Send now" }).tap();
  // The list is back; a row opens its card. Anyone who goes away has answered.
  await page.getByRole("link", { name: "Which color?" }).tap();
  await page.getByLabel("Your answer").fill("Green");
  await page.reload();
  await expect(page.getByLabel("Your answer")).toHaveValue("Green");
  await page.getByRole("button", { name: "Answer", exact: true }).tap();
  await expect(page.getByText("The agent gets this")).toBeVisible();
  await page.goto("/inbox?show=questions&state=answered");
  await expect(page.getByRole("link", { name: "Green" })).toBeVisible();

  const { result } = await agent.call("get_question_answer", { question_id: asked.id });
  expect(result).toMatchObject({ status: "answered", answer: "Welcome" });
  await expect(page.getByRole("link", { name: "Welcome" })).toBeVisible();
  await agent.close();
  await push.close();
  await phone.close();
});
