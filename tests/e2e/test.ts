import { createHash } from "node:crypto";
import { type BrowserContext, test as base, expect, type Page } from "@playwright/test";
import { watchProblems } from "./problems";
import { newPerson, newWorld, type Person, type World } from "./world";

interface Journey {
  /** What the browser may complain about in this journey, because the journey causes it. */
  expectedProblems: RegExp | null;
  /** Every journey ends by closing its browsers, and by proving that none of their pages had a problem. */
  noProblems: undefined;
  /** Someone with a browser of their own, their product, and a page in that browser. */
  owner: Person;
  world: World;
  ownPage: Page;
}

/**
 * Every journey comes from an address of its own, as people do: some limits (registrations, pairings)
 * count by address. The server of these tests believes the header because it comes over loopback.
 */
export const test = base.extend<Journey>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright wants the fixtures as a pattern
  extraHTTPHeaders: async ({}, use, testInfo) => {
    const bytes = createHash("sha256").update(`${testInfo.testId} ${testInfo.repeatEachIndex}`).digest();
    await use({ "x-forwarded-for": `10.${bytes[0]}.${bytes[1]}.${bytes[2]}` });
  },
  expectedProblems: [null, { option: true }],
  noProblems: [
    async ({ browser, expectedProblems }, use) => {
      const problems: string[] = [];
      const opened: BrowserContext[] = [];
      const { newContext } = browser;
      browser.newContext = async (options) => {
        const context = await newContext.call(browser, options);
        watchProblems(context, problems);
        opened.push(context);
        return context;
      };
      await use(undefined);
      browser.newContext = newContext;
      for (const context of opened) await context.close();
      expect(problems.filter((problem) => !expectedProblems?.test(problem))).toEqual([]);
    },
    { auto: true },
  ],
  owner: async ({ browser, noProblems: _ }, use) => use(await newPerson(browser)),
  world: async ({ owner }, use) => use(await newWorld(owner.context)),
  ownPage: async ({ owner }, use) => use(await owner.context.newPage()),
});
