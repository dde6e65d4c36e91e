import { expect, type Route } from "@playwright/test";
import { z } from "zod";
import { expectLive, openLive } from "./places";
import { test } from "./test";

const storyData = z.looseObject({ description: z.object({ html: z.string() }) });

test("A text shown unformatted at first is replaced by the formatted one without a press", async ({
  world,
  ownPage: page,
}) => {
  await openLive(page, world.sprint);

  // As the service answers while its formatter has others before this text.
  let isBusy = true;
  let raw = 0;
  await page.route(/_data=routes.*stories/, async (route: Route) => {
    const answer = await route.fetch();
    if (!isBusy) return route.fulfill({ response: answer });
    const data = storyData.parse(await answer.json());
    raw += 1;
    const description = { html: "<p>It names **me**.</p>", unfinished: true };
    await route.fulfill({ response: answer, json: { ...data, description } });
  });
  await page.locator(`a[href="/stories/${world.storyId}"]`).first().click();
  await page.waitForURL(`**/stories/${world.storyId}`);
  const text = page.locator(".prose").first();
  await expect(text).toHaveText("It names **me**.");
  // What the page reads for other reasons ends; it asks for the text as long as it is not ready.
  await expectLive(page);
  const before = raw;
  await expect.poll(() => raw).toBeGreaterThan(before + 3);
  isBusy = false;
  await expect(text.locator("strong")).toHaveText("me");
  await expect(text).toHaveText("It names me.");
});
