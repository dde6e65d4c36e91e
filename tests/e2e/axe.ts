import { expect, type Page } from "@playwright/test";
import axe from "axe-core";

declare global {
  interface Window {
    axe: typeof axe;
  }
}

/** What depends on the colors of a theme; a theme changes nothing else. */
const rulesOfColors = ["color-contrast", "link-in-text-block"];

/** What axe finds wrong with the page, or with a part of it, in both themes. */
export async function findingsInBothThemes(page: Page, part?: string): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "light" });
  const light = await findings(page, { part });
  // The other theme is the same page in other colors.
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await findings(page, { part, rules: rulesOfColors });
  return [...light.map((text) => `light: ${text}`), ...dark.map((text) => `dark: ${text}`)];
}

/** What axe finds wrong with the page as it looks now, or with a part of it, by all of its rules or some. */
export async function findings(
  page: Page,
  { part, rules }: { part?: string | undefined; rules?: readonly string[] } = {},
): Promise<string[]> {
  // A page whose next data is on its way shows a bar above everything, for a moment and outside of its landmarks.
  await expect(page.getByRole("progressbar", { name: "Loading" })).toHaveCount(0);
  // Half a megabyte of program: a page is given it once, no matter how often it is looked at.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  return page.evaluate(
    async ({ part, rules }) => {
      // A page that has just changed its theme is on its way from one color to the other, each element after its parent.
      const moving = () => document.getAnimations().filter((it) => it instanceof CSSTransition);
      for (let left = moving(); left.length > 0; left = moving()) {
        // Brought to its end, not waited for: a page that draws nothing more would never get there.
        for (const transition of left) transition.finish();
      }
      // It would write down every element that it looks at; only those with a fault are of use.
      window.axe.configure({ noHtml: true });
      const { violations } = await window.axe.run(part ?? document, {
        resultTypes: ["violations"],
        elementRef: true,
        selectors: false,
        iframes: false,
        preload: false,
        ...(rules ? { runOnly: [...rules] } : {}),
      });
      return violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ element }) => element?.outerHTML.slice(0, 300)).join(" | ")}`,
      );
    },
    { part, rules },
  );
}
