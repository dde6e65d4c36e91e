import type { ServerResponse } from "node:http";
import { ContractError } from "~/wire/errors";

/** Sends a refusal as a small page without scripts, for requests that never reach Remix. */
export function sendPlainProblem(response: ServerResponse, error: ContractError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.statusCode = error.status;
  response.setHeader("content-type", "text/html; charset=utf-8");
  response.setHeader("cache-control", "no-store");
  sayWhenToRetry(response, error);
  response.end(
    `<!doctype html><html lang="en"><title>Backloom</title><meta name="viewport" content="width=device-width">` +
      `<link rel="stylesheet" href="/offline.css"><main><img src="/favicon.svg" width="48" height="48" alt="">` +
      `<h1>${error.status}</h1><p>${escapeHtml(error.message)}</p><p><a href="/">Back to the start</a></p></main></html>`,
  );
}

/** Sends a refusal as JSON, for API addresses and for programs at a page's address. */
export function sendJsonProblem(response: ServerResponse, error: ContractError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const text = JSON.stringify({ ...error.detail, ...error.toBody() });
  response.statusCode = error.status;
  response.setHeader("content-type", "application/json; charset=utf-8");
  response.setHeader("cache-control", "no-store");
  response.setHeader("content-length", Buffer.byteLength(text));
  sayWhenToRetry(response, error);
  response.end(text);
}

function sayWhenToRetry(response: ServerResponse, { retryAfter }: ContractError): void {
  if (retryAfter !== undefined) response.setHeader("retry-after", retryAfter);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** For clients that try to sign in at a wrong address. They show their user the text in `error_description`. */
export function howProgramsSignIn(status: 400 | 404): ContractError {
  const sentence =
    "Programs sign in here over OAuth, as /.well-known/oauth-protected-resource says, or with an API token: make one on the page Connect and send it as Authorization: Bearer <token>.";
  return new ContractError(status, sentence, { detail: { error_description: sentence } });
}
