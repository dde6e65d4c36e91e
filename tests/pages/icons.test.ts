import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { iconNames } from "../../app/ui/icon";

it("The icon file has every icon that has a name, and no other", () => {
  const file = join(import.meta.dirname, "../../app/ui/icons.svg");
  const drawn = [...readFileSync(file, "utf8").matchAll(/<symbol id="([^"]+)"/g)];
  expect(drawn.map(([, id]) => id)).toEqual([...iconNames]);
});
