import type { ShouldRevalidateFunction } from "@remix-run/react";

/** Where an undo is sent. */
export const undoPath = "/undo";

const firstPauseMs = 500;
const longestPauseMs = 5000;
/** After this the failure is shown: the page has been old for long enough. */
const patienceMs = 60_000;

/**
 * A page must not turn into an error page because it tried to freshen itself at the wrong moment. While it
 * revalidates by itself, its data requests outlast a lost network and a server that restarts; the page stays as it
 * is meanwhile. What the server refuses (401, 403, 404) is answered as ever.
 */
export class RetryingFetch {
  readonly #fetch: typeof fetch;
  readonly #submissions = new Set<Promise<unknown>>();
  #isRevalidating = false;

  constructor(original: typeof fetch) {
    this.#fetch = original;
  }

  revalidating(isRevalidating: boolean): void {
    this.#isRevalidating = isRevalidating;
  }

  readonly fetch: typeof fetch = (input, init) => {
    // Remix asks with an address; the body of somebody else's request is not touched.
    if (input instanceof Request) return this.#fetch(input, init);
    if (isSubmission(input, init)) return this.#submit(input, init);
    if (!this.#isRevalidating) return this.#fetch(input, init);
    const request = new Request(input, init);
    return isDataRequest(request) ? this.#insist(request) : this.#fetch(input, init);
  };

  /** What is taken back is the last change that was made here, although it may still be on its way. */
  #submit(input: string | URL, init?: RequestInit): Promise<Response> {
    const earlier = isUndo(input) ? Promise.all(this.#submissions) : Promise.resolve();
    const answer = earlier.then(() => this.#send(input, init));
    const ended = answer.catch(() => {}).finally(() => this.#submissions.delete(ended));
    this.#submissions.add(ended);
    return answer;
  }

  /** A form is sent once: whether it arrived is not known, so it is not repeated. The page stays and says so. */
  async #send(input: string | URL, init?: RequestInit): Promise<Response> {
    try {
      return await this.#fetch(input, init);
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

/** How Remix sends a form to a route's action. */
function isSubmission(input: string | URL, init?: RequestInit): boolean {
  return init?.method?.toUpperCase() === "POST" && /[?&]_data=/.test(String(input));
}

function isUndo(input: string | URL): boolean {
  return new URL(input, location.origin).pathname === undoPath;
}

/** How Remix asks a route for its data. */
function isDataRequest({ method, url }: Request): boolean {
  return method === "GET" && new URL(url).searchParams.has("_data");
}

/** Ends early when the network is back, and at once when nobody waits any more. */
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

/** The status of an answer that this browser gave itself: no service was there to give one. */
const unreachable = 504;

/** What a form is answered when the service was not reached, in the form in which Remix expects an action's answer. */
function unreachableAnswer(): Response {
  const error = navigator.onLine
    ? "The service did not answer. Try again in a moment."
    : "You are offline. Try again when you are connected.";
  return Response.json(
    { error, code: unreachable },
    { status: unreachable, headers: { "X-Remix-Response": "yes" } },
  );
}

/**
 * After a form that reached nobody nothing can have changed for this page, and asking for its data would fail as well:
 * the page keeps what it shows. Its routes are loaded by now, whichever they are; none has to export this.
 */
function keepWhatIsShown(): void {
  for (const { route } of window.__remixRouter.state.matches) route.shouldRevalidate ??= ifReached;
}

const ifReached: ShouldRevalidateFunction = ({ actionStatus, defaultShouldRevalidate }) =>
  actionStatus !== unreachable && defaultShouldRevalidate;
