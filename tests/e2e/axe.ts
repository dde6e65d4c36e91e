import type { Page } from "@playwright/test";
import axe from "axe-core";

declare global {
  interface Window {
    axe: typeof axe;
  }
}

/** What axe finds wrong with the page as it looks now, or with a part of it, by all of its rules or one. */
export async function findings(page: Page, rule?: string, part?: string): Promise<string[]> {
  // Half a megabyte of program: a page is given it once, however often it is looked at.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  return page.evaluate(
    async ({ rules, part }) => {
      // A page that has just changed its theme is on its way from one colour to the other, each element after its parent.
      const moving = () => document.getAnimations().filter((it) => it instanceof CSSTransition);
      for (let left = moving(); left.length > 0; left = moving()) {
        // Brought to its end, not waited for: a page that draws nothing more would never get there.
        for (const transition of left) transition.finish();
      }
      const { violations } = await window.axe.run(part ?? document, {
        resultTypes: ["violations"],
        ...(rules.length > 0 ? { runOnly: rules } : {}),
      });
      return violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`,
      );
    },
    { rules: rule ? [rule] : [], part },
  );
}
