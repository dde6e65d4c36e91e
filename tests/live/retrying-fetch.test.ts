import { beforeEach, describe, expect, it, vi } from "vitest";
import { unlessOfPage } from "~/live/path-data";
import { RetryingFetch } from "~/live/retrying-fetch";

/** The routes of the page that is shown. */
const own = { shouldRevalidate: () => true };
const plain: { shouldRevalidate?: (about: object) => boolean } = {};

beforeEach(() => {
  vi.stubGlobal("window", { __remixRouter: { state: { matches: [{ route: own }, { route: plain }] } } });
  vi.stubGlobal("location", { origin: "http://localhost" });
  vi.stubGlobal("navigator", { onLine: true });
  return () => vi.unstubAllGlobals();
});

it("A change that reached no one leaves the page as it is", async () => {
  const requests = new RetryingFetch(() => Promise.reject(new TypeError("no network")));
  expect((await requests.fetch("/changes?_data=routes%2F_app.changes", { method: "POST" })).status).toBe(504);
  // What a route decides for itself stays its own.
  expect(plain.shouldRevalidate?.({ actionStatus: 504, defaultShouldRevalidate: true })).toBe(false);
  expect(plain.shouldRevalidate?.({ actionStatus: 422, defaultShouldRevalidate: true })).toBe(true);
  expect(own.shouldRevalidate()).toBe(true);
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
