import { expect } from "@playwright/test";
import { z } from "zod";
import { connectClient } from "../mcp/clients";
import { openLive } from "./places";
import { test } from "./test";
import { newToken, post } from "./world";

const jobSchema = z.object({ job: z.object({ id: z.string(), attempt: z.number() }) });

test("A run stops at the budget it was started with, and continues when a person answers its question", async ({
  baseURL,
  owner,
  world,
  ownPage: page,
}) => {
  const agent = await connectClient(
    { origin: String(baseURL) },
    await newToken(owner.context),
    "2026-07-28",
    "/mcp/worker",
  );
  const claim = async () => {
    const { result } = await agent.call("wait_for_job", { worker: "spender", wait_seconds: 0 });
    return result;
  };

  await openLive(page, world.sprint);
  await page.getByRole("link", { name: "Start run" }).click();
  await page
    .getByLabel(/^Limit/)
    .first()
    .fill("2");
  await page.getByRole("button", { name: /Start run of/ }).click();
  const budget = page.getByRole("region", { name: "Budget" });
  await expect(budget).toContainText("$0.00 spent");

  const { job } = jobSchema.parse(await claim());
  const held = { job_id: job.id, attempt: job.attempt };
  const models = [{ model_id: "m", cost: 2.5, currency: "USD" }];
  const { result: beat } = await agent.call("job_heartbeat", { ...held, usage: { models } });
  expect(beat).toMatchObject({ action: "stop", reason: { code: "budget" } });

  await expect(page.getByText("Paused: Budget reached")).toBeVisible();
  await expect(budget).toContainText("up to $0.50 over");
  await page.getByRole("button", { name: /Raise by 1.00 USD/ }).click();
  await expect(budget).toContainText("$3.00 for this run");
  await expect(page.getByText("Paused: Budget reached")).toBeHidden();
  expect(jobSchema.parse(await claim()).job).toMatchObject({ id: job.id, attempt: 2 });

  await budget.getByLabel("Change to").fill("4");
  await budget.getByRole("button", { name: "Set", exact: true }).click();
  await expect(budget).toContainText("$4.00 for this run");
  await post(owner.context, page.url(), { intent: "cancel" });
});
