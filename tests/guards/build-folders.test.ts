import { relative } from "node:path";
import { expect, it } from "vitest";
import remixConfig from "../../remix.config.js";

it("a build of the pages clears a folder that holds no program: a worker of the same clone may be running from it", () => {
  const toPrograms = relative(remixConfig.buildDirectory ?? "build", "build/programs");
  expect(toPrograms).toMatch(/^\.\./);
});
