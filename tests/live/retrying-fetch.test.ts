import { beforeEach, describe, expect, it, vi } from "vitest";
import { unlessOfPage } from "~/live/path-data";
import { RetryingFetch } from "~/live/retrying-fetch";

const change = "/changes?_data=routes%2F_app.changes";
const undo = "/undo?_data=routes%2F_app.undo";
const post = { method: "POST" };

/** The routes of the page that is shown. */
const own = { shouldRevalidate: () => true };
const plain: { shouldRevalidate?: (about: object) => boolean } = {};

beforeEach(() => {
  vi.stubGlobal("window", { __remixRouter: { state: { matches: [{ route: own }, { route: plain }] } } });
  vi.stubGlobal("location", { origin: "http://localhost" });
  vi.stubGlobal("navigator", { onLine: true });
  return () => vi.unstubAllGlobals();
});

/** A network whose answers come when the test says so. */
function slowNetwork() {
  const sent: { path: string; answer: (response: Response) => void; fail: () => void }[] = [];
  const requests = new RetryingFetch(
    (input) =>
      new Promise((resolve, reject) => {
        const fail = () => reject(new TypeError("no network"));
        sent.push({ path: String(input), answer: resolve, fail });
      }),
  );
  return { sent, requests, paths: () => sent.map(({ path }) => path) };
}

it("An undo waits until the change on its way has been answered", async () => {
  const { sent, requests, paths } = slowNetwork();
  const changed = requests.fetch(change, post);
  const undone = requests.fetch(undo, post);
  await vi.waitFor(() => expect(paths()).toEqual([change]), 60_000);
  sent[0]?.answer(Response.json({ message: "Done." }));
  await changed;
  await vi.waitFor(() => expect(paths()).toEqual([change, undo]), 60_000);
  sent[1]?.answer(Response.json({ message: "Taken back." }));
  expect(await (await undone).json()).toEqual({ message: "Taken back." });
});

it("An undo is sent also when the change before it reached no one", async () => {
  const { sent, requests, paths } = slowNetwork();
  const changed = requests.fetch(change, post);
  void requests.fetch(undo, post);
  await vi.waitFor(() => expect(paths()).toEqual([change]), 60_000);
  sent[0]?.fail();
  expect((await changed).status).toBe(504);
  // The page keeps what it shows; what a route decides for itself stays its own.
  expect(plain.shouldRevalidate?.({ actionStatus: 504, defaultShouldRevalidate: true })).toBe(false);
  expect(plain.shouldRevalidate?.({ actionStatus: 422, defaultShouldRevalidate: true })).toBe(true);
  expect(own.shouldRevalidate()).toBe(true);
  await vi.waitFor(() => expect(paths()).toEqual([change, undo]), 60_000);
});

it("An undo that waits does not delay other changes", async () => {
  const { requests, paths } = slowNetwork();
  for (const path of [change, undo, `${change}2`]) void requests.fetch(path, post);
  await vi.waitFor(() => expect(paths()).toEqual([change, `${change}2`]), 60_000);
});

describe("what a layout has read", () => {
  const page = "http://localhost/products/1/backlog";
  const about = (from: string, to: string, more = {}) =>
    unlessOfPage({
      currentUrl: new URL(from, page),
      nextUrl: new URL(to, page),
      currentParams: { productId: "1" },
      nextParams: { productId: to.split("/")[2] ?? "1" },
      defaultShouldRevalidate: true,
      ...more,
    });
  const during = (state: object) =>
    vi.stubGlobal("window", { __remixRouter: { state: { revalidation: "idle", fetchers: new Map(), ...state } } });

  it("A panel, a filter and another page of the product leave what a layout has read", () => {
    during({});
    expect(about("?open=all", "?open=all&panel=task:1")).toBe(false);
    expect(about("?q=a", "?q=ab", { formMethod: "GET" })).toBe(false);
    expect(about("?q=a", "/products/1/sprints")).toBe(false);
    expect(about("?q=a", "/products/2/backlog")).toBe(true);
    expect(about("?q=a", "/dashboard?notice=product-gone")).toBe(true);
    expect(about("?q=a", "?q=a")).toBe(true);
  });

  it("A change is read by layouts too, also where a navigation replaces that", () => {
    during({});
    expect(about("?q=a", "?panel=pbi:1", { formMethod: "POST" })).toBe(true);
    expect(about("?q=a", "?q=a", { formMethod: "POST", actionStatus: 504 })).toBe(false);
    during({ revalidation: "loading" });
    expect(about("?q=a", "?panel=pbi:1")).toBe(true);
    during({ fetchers: new Map([["change 1", { formMethod: "POST" }]]) });
    expect(about("?q=a", "?panel=pbi:1")).toBe(true);
  });
});
