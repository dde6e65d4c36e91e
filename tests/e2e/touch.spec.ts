import { expect } from "@playwright/test";
import { column } from "./places";
import { test } from "./test";
import { newPerson, newWorld, signedIn } from "./world";

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

test("on a phone a long press lifts a card, the board scrolls along, and letting go drops it", async ({
  browser,
}) => {
  const owner = await newPerson(browser);
  const world = await newWorld(owner.context);
  const context = await signedIn(browser, owner.name, phone);
  const page = await context.newPage();
  await page.goto(world.sprint);
  await page.getByRole("status", { name: /Live/ }).waitFor();
  const card = page.locator(`[data-task="${world.taskIds[0]}"]`);
  // Not below the bar at the bottom, which lies over the page.
  await card.evaluate((element) => element.scrollIntoView({ block: "center" }));
  const box = await card.boundingBox();
  if (!box) throw new Error("The card is not on the page");

  const client = await context.newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", x?: number, y?: number) =>
    client.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: x === undefined || y === undefined ? [] : [{ x, y }],
    });
  const y = box.y + box.height - 12;
  await touch("touchStart", box.x + 60, y);
  await expect(page.locator(".card-lifted")).toBeVisible();
  await touch("touchMove", 380, y);
  // At the edge the next column comes under the finger by itself.
  await expect
    .poll(async () => {
      await touch("touchMove", 379, y);
      const under = await column(page, "In progress").boundingBox();
      return under !== null && under.x < 200;
    })
    .toBe(true);
  await touch("touchMove", 200, y);
  const dropped = await page.evaluate(
    (at) => document.elementFromPoint(at.x, at.y)?.closest("[data-column]")?.ariaLabel ?? "",
    { x: 200, y },
  );
  await touch("touchEnd");
  await expect(page.locator(".card-lifted")).toHaveCount(0);
  await expect(column(page, dropped.split(":")[0] ?? "nowhere")).toContainText("T-1");
  expect(dropped).not.toContain("To do");
  await context.close();
  await owner.context.close();
});
