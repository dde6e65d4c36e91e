import type { ShouldRevalidateFunction } from "@remix-run/react";
import { router } from "./router";

type RouterState = ReturnType<typeof router>["state"];

const firstPauseMs = 500;
const longestPauseMs = 5000;
/** After this time (ms) the failure is shown. */
const patienceMs = 60_000;

/**
 * A background revalidation that fails must not turn a page into an error page: its data requests are retried across
 * network loss and server restarts. Refusals (401, 403, 404) pass through.
 */
export class RetryingFetch {
  readonly #fetch: typeof fetch;
  #isRevalidating = false;

  constructor(original: typeof fetch) {
    this.#fetch = original;
  }

  revalidating(isRevalidating: boolean): void {
    this.#isRevalidating = isRevalidating;
  }

  readonly fetch: typeof fetch = (input, init) => {
    // Remix passes an address. A `Request` comes from other code, and its body must not be touched.
    if (input instanceof Request) return this.#fetch(input, init);
    if (isSubmission(input, init)) return this.#send(input, init);
    if (!this.#isRevalidating) return this.#fetch(input, init);
    const request = new Request(input, init);
    return isDataRequest(request) ? this.#insist(request) : this.#fetch(input, init);
  };

  /** Sends a form once. On a network error it may have arrived, so it is not retried; the page stays and says so. */
  async #send(input: string | URL, init?: RequestInit): Promise<Response> {
    try {
      const answer = await this.#fetch(input, init);
      if (answer.headers.has("X-Remix-Redirect")) await loadersToEnd();
      return answer;
    } catch (error) {
      if (init?.signal?.aborted) throw error;
      keepWhatIsShown();
      return unreachableAnswer();
    }
  }

  async #insist(request: Request): Promise<Response> {
    const until = Date.now() + patienceMs;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      const answer = await this.#fetch(request.clone()).catch((error: unknown) => {
        if (request.signal.aborted || Date.now() > until) throw error;
        return undefined;
      });
      if (answer && (answer.status < 500 || Date.now() > until)) return answer;
      await pauseOrOnline(pauseMs, request.signal);
    }
  }
}

/** Whether Remix sends a form to a route's action. */
function isSubmission(input: string | URL, init?: RequestInit): boolean {
  return init?.method?.toUpperCase() === "POST" && /[?&]_data=/.test(String(input));
}

function isDataRequest({ method, url }: Request): boolean {
  return method === "GET" && new URL(url).searchParams.has("_data");
}

/** Trap: Remix does not abort a load for a redirect from a fetcher's action, and shows whichever ends last. */
function loadersToEnd(): Promise<void> {
  return new Promise((resolve) => {
    const { state, subscribe } = router();
    if (!isLoading(state)) return resolve();
    const unsubscribe = subscribe((next) => {
      if (isLoading(next)) return;
      unsubscribe();
      resolve();
    });
  });
}

/** A navigation that submits a form need not wait: the answer may be for it. */
function isLoading({ navigation, revalidation }: RouterState): boolean {
  if (navigation.state === "submitting") return false;
  return navigation.state === "loading" || revalidation === "loading";
}

/** Waits `ms`, or until the network is back or the request is aborted. */
function pauseOrOnline(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener("online", done);
    signal.addEventListener("abort", done);
  });
}

/** Status of the answer that the browser makes itself when the service was not reached. */
const unreachable = 504;

/** Action answer for a form that did not reach the service, in the format Remix expects. */
function unreachableAnswer(): Response {
  const error = navigator.onLine
    ? "The service did not answer. Try again in a moment."
    : "You are offline. Try again when you are connected.";
  return Response.json({ error, code: unreachable }, { status: unreachable, headers: { "X-Remix-Response": "yes" } });
}

/** A form that did not reach the service changed nothing. Set on the loaded routes, so that none has to export it. */
function keepWhatIsShown(): void {
  for (const { route } of router().state.matches) route.shouldRevalidate ??= ifReached;
}

export const ifReached: ShouldRevalidateFunction = ({ actionStatus, defaultShouldRevalidate }) =>
  actionStatus !== unreachable && defaultShouldRevalidate;
