import { describe, expect, it } from "vitest";
import { safeRedirect } from "~/http/redirects.server";

describe("W5 redirects to a path that someone asked for", () => {
  it.each(["/dashboard", "/products/1?tab=x#y", "/", "/a%20b"])("A redirect to the path %s is followed", (path) => {
    expect(safeRedirect(path, "/fallback")).toBe(path);
  });

  it.each([
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/a\\b",
    "https://evil.example",
    "javascript:alert(1)",
    "/\t/evil.example",
    "/x\r\nSet-Cookie: a=b",
    " /x",
    "x",
    "",
    "/.//evil.example",
    "/..//evil.example",
    null,
    undefined,
    7,
  ])("A redirect to %j is not followed", (path) => {
    expect(safeRedirect(path, "/fallback")).toBe("/fallback");
  });
});
