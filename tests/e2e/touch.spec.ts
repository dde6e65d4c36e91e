import { expect } from "@playwright/test";
import { column, openBoard } from "./places";
import { test } from "./test";
import { newPerson, newWorld, signedIn } from "./world";

// Taller than a phone: near the upper and lower edge the page scrolls along too.
const phone = { viewport: { width: 390, height: 1300 }, isMobile: true, hasTouch: true };

test("on a phone a long press lifts a card, the board scrolls along, and letting go drops it", async ({ browser }) => {
  const owner = await newPerson(browser);
  const world = await newWorld(owner.context);
  const context = await signedIn(browser, owner.name, phone);
  const page = await context.newPage();
  await openBoard(page, world.sprint);
  const card = page.locator(`[data-task="${world.taskIds[0]}"]`);
  // Not below the bar at the bottom, which lies over the page.
  await card.evaluate((element) => element.scrollIntoView({ block: "center" }));
  await card.tap({ trial: true });
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
  // Away from the edge the board rests; where it does is another column's middle each time.
  await touch("touchMove", 200, y);
  const rest = await page.evaluate(columnInTheMiddle);
  await touch("touchMove", rest.x, y);
  await touch("touchEnd");
  await expect(page.locator(".card-lifted")).toHaveCount(0);
  expect(rest.name).not.toBe("To do");
  await expect(column(page, rest.name)).toContainText("T-1");
});

/** The column that is nearest to the middle of the window once the board stands still, and where a finger meets it. */
async function columnInTheMiddle(): Promise<{ name: string; x: number }> {
  const columns = Array.from(document.querySelectorAll("[data-column]"));
  const places = () => columns.map((element) => element.getBoundingClientRect());
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const before = { left: Number.NaN };
  while (before.left !== places()[0]?.left) {
    before.left = places()[0]?.left ?? 0;
    await frame();
    await frame();
  }
  const middle = innerWidth / 2;
  const centres = places().map(({ left, width }) => left + width / 2);
  const nearest = centres.reduce((best, x) => (Math.abs(x - middle) < Math.abs(best - middle) ? x : best));
  const label = columns[centres.indexOf(nearest)]?.ariaLabel ?? "";
  return { name: label.split(":")[0] ?? "", x: Math.min(Math.max(nearest, 80), innerWidth - 80) };
}
