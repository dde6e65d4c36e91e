import { relative } from "node:path";
import { expect, it } from "vitest";
import remixConfig from "../../remix.config.js";

it("A build of the pages does not clear the folder of programs, from which a worker may be running", () => {
  const toPrograms = relative(remixConfig.buildDirectory ?? "build", "build/programs");
  expect(toPrograms).toMatch(/^\.\./);
});
