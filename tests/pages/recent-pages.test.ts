import { beforeEach, describe, expect, it, vi } from "vitest";
import { readRecent } from "../../app/routes/_app/palette/recent";

const places = [{ to: "/ideas/1", title: "A private idea" }];

describe("titles that a browser remembers", () => {
  beforeEach(() => {
    const kept = JSON.stringify({ userId: "anna", places });
    vi.stubGlobal("localStorage", { getItem: () => kept });
  });

  it("Recent titles kept in a browser are shown to the account that looked at them", () => {
    expect(readRecent("anna")).toEqual(places);
  });

  it("Recent titles kept in a browser are not shown to the next account", () => {
    expect(readRecent("bela")).toEqual([]);
  });

  it.each(["not JSON", "null", "[]", JSON.stringify(places)])("Recent titles are none when %s is kept", (kept) => {
    vi.stubGlobal("localStorage", { getItem: () => kept });
    expect(readRecent("anna")).toEqual([]);
  });
});
