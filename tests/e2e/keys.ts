import { expect, type Locator, type Page } from "@playwright/test";

/** More stops than any page of these journeys has. */
const mostStops = 200;

/** Someone who has a keyboard and nothing else. */
export function keysOf(page: Page) {
  const { keyboard } = page;

  /** Goes on with Tab until the focus is there; it must then be seen. */
  async function tabTo(target: Locator): Promise<void> {
    await expect(target).toBeVisible();
    for (let stops = 0; !(await isFocused(target)); stops++) {
      expect(stops, `${target} is reached by Tab`).toBeLessThan(mostStops);
      await keyboard.press("Tab");
    }
    await expectSeen(target);
  }

  return {
    tabTo,
    press: (keys: string) => keyboard.press(keys),
    /** Keys one after the other, such as `g` and then `b`. */
    async sequence(...keys: string[]): Promise<void> {
      for (const key of keys) await keyboard.press(key);
    },
    /** Types where the focus is, once that is the place meant. */
    async typeInto(target: Locator, text: string): Promise<void> {
      await expect(target).toBeFocused();
      await keyboard.type(text);
    },
    async fill(target: Locator, text: string): Promise<void> {
      await tabTo(target);
      await keyboard.press("ControlOrMeta+a");
      await keyboard.type(text);
    },
    async activate(target: Locator): Promise<void> {
      await tabTo(target);
      await keyboard.press("Enter");
    },
  };
}

const isFocused = (target: Locator) => target.evaluate((element) => element === document.activeElement);

/** The focus has an outline, is not transparent, is in the window, and nothing lies over it; once scrolling is over. */
async function expectSeen(target: Locator): Promise<void> {
  const look = () =>
    target.evaluate((element) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      const [box = element.getBoundingClientRect()] = element.getClientRects();
      const middle = (from: number, to: number, end: number) => (Math.max(from, 0) + Math.min(to, end)) / 2;
      const above = document.elementFromPoint(
        middle(box.left, box.right, window.innerWidth),
        middle(box.top, box.bottom, window.innerHeight),
      );
      return {
        outline: outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1,
        opaque: element.checkVisibility({ opacityProperty: true }),
        onTop: above !== null && (element.contains(above) || above.contains(element)),
      };
    });
  const seen = { outline: true, opaque: true, onTop: true };
  await expect.poll(look, { message: `the focus on ${target}` }).toEqual(seen);
}
