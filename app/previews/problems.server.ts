import type { ServerResponse } from "node:http";

const problems = {
  unknown: [404, "This address has no preview. Open one from its job."],
  ended: [410, "This preview has ended. Start it again on its job."],
  gone: [410, "This preview ended because its worker stopped. Start it again on its job."],
  foreign: [403, "Another site sent this request. A preview responds to its own pages only."],
  serviceWorker: [403, "A preview has no service worker, which would see the way in of others and outlive it."],
  malformed: [400, "The address of this request is malformed."],
  loop: [508, "This preview asks itself in a circle. Look for a proxy that leads back to it."],
  tooLarge: [413, "A request to a preview can be at most 25 MB. Send less at once."],
  late: [504, "The preview has not responded for 30 seconds. Try again, or check its log on the job."],
  failed: [502, "The program of this preview broke off. Try again, or look at its log on the job."],
  waiting: [503, "The worker of this preview connects again. This page tries again by itself."],
  elsewhere: [
    503,
    "The worker of this preview is not connected to this process. Where several run, one has to get all previews and their workers.",
  ],
  unavailable: [503, "The database does not answer. Try again in a moment."],
} as const;

export type Problem = keyof typeof problems;

/** Cuts an answer that has begun. */
export function say(response: ServerResponse, problem: Problem): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const [status, text] = problems[problem];
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-robots-tag": "noindex",
    connection: "close",
    // Not its cookies: browsers would clear those of the whole domain, the service's among them.
    ...(status === 410 ? { "clear-site-data": '"cache", "storage"' } : {}),
    ...(problem === "waiting" ? { refresh: "2", "retry-after": "2" } : {}),
  });
  response.end(
    `<!doctype html><html lang="en"><title>Preview</title><meta name="viewport" content="width=device-width">` +
      `<style>:root{color-scheme:light dark;font:1rem/1.5 system-ui;padding:2rem}</style><h1>${status}</h1><p>${text}</p></html>`,
  );
}
