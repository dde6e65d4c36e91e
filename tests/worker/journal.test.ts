import { expect, it } from "vitest";
import { openJournal } from "../../app/worker/base/journal";

it("words of other people neither steer the terminal nor pass for lines of the worker", () => {
  let written = "";
  const journal = openJournal((text) => {
    written += text;
  });
  journal.say("T-1 \u001b[2J\u001b]0;x\u0007\u009b1mred\r\u202egnp\n12:00:00  All done");
  expect(written).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  expect(written.match(/^\d\d:\d\d:\d\d {2}/gm)).toHaveLength(1);
  expect(written).toContain("\n          12:00:00  All done\n");
});
