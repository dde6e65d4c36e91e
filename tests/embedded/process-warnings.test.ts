import { once } from "node:events";
import { expect, it } from "vitest";
import "../../supabase/embedded/data-api/lite-app";

it("A warning that is an error reaches the process as it was given", async () => {
  const warning = new Error("Too many listeners");
  const heard = once(process, "warning");
  process.emitWarning(warning);
  expect(await heard).toEqual([warning]);
});
