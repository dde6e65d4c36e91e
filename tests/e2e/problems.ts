import { expect, type Page } from "@playwright/test";

/** Gathers what must not appear in any journey: console errors, page errors and reports of the Content-Security-Policy. */
export function watchProblems(page: Page): { expectNone: () => void } {
  const problems: string[] = [];
  page.on("console", (message) => {
    // A refused action answers 4xx on purpose, and the browser notes every such answer.
    const refused = /Failed to load resource: the server responded with a status of 4/.test(
      message.text(),
    );
    if (message.type() === "error" && !refused) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  return { expectNone: () => expect(problems).toEqual([]) };
}
