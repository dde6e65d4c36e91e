import type { BrowserContext } from "@playwright/test";

/**
 * Gathers what must not appear in any journey: console errors, page errors and what the Content-Security-Policy refused,
 * which Chromium reports as console errors.
 */
export function watchProblems(context: BrowserContext, problems: string[]): void {
  context.on("console", (message) => {
    // A refused action answers 4xx on purpose, and the browser notes every such answer.
    const refused = /Failed to load resource: the server responded with a status of 4/.test(message.text());
    const { url } = message.location();
    if (message.type() === "error" && !refused) problems.push(`${message.text()} (${url})`);
  });
  context.on("weberror", (found) => problems.push(String(found.error())));
}
