import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { writeBacklogFolder } from "./backlog-folder";
import { admin } from "./commands";
import { testWithTerminal as test } from "./programs";

async function readBacklog(page: Page, id: unknown): Promise<string | null> {
  await page.goto(`/products/${id}/backlog`);
  const tree = page.getByRole("region", { name: "Backlog tree" });
  await expect(tree).toContainText("Milestone 1");
  return tree.textContent();
}

test("A Backlog.md folder becomes a product, its export an equal one, and the pages show both", async ({
  home,
  owner: { name },
  ownPage: page,
}) => {
  const folder = writeBacklogFolder(join(home, "backlog"));
  const file = join(home, "planes.json");
  const owner = ["--owner", name];
  const product = ["--name", "Planes", "--code", name];
  const imported = await admin("import", "backlog-md", folder, ...owner, ...product);
  const shown = await readBacklog(page, imported.id);
  await page.getByLabel("Filter by code, title, label or person").fill("FLY-7");
  await expect(page).toHaveURL(/q=FLY-7/);
  await page.getByRole("link", { name: "Fold 7" }).first().click();
  await expect(page.getByRole("complementary", { name: "Details" })).toContainText("It flies");

  await admin("export", "--product", name, "--out", file);
  const { exported_at: _, ...before } = await admin("export", "--product", name);
  await page.getByRole("link", { name: "Settings", exact: true }).last().click();
  await page.getByRole("link", { name: "Danger" }).click();
  await page.getByRole("button", { name: "Delete Planes" }).click();
  await page.getByLabel(`Type ${name} to confirm`).fill(name);
  await page.getByRole("button", { name: "Delete everything" }).click();
  await expect(page).toHaveURL(/\/dashboard/);
  await expect(page.getByRole("main")).not.toContainText("Planes");

  const again = await admin("import", file, ...owner);
  expect(again).toMatchObject({ code: name, stories: 25, unknown_users: [] });
  expect(await readBacklog(page, again.id)).toBe(shown);
  await page.getByRole("link", { name: "Ideas" }).click();
  await expect(page.getByRole("link", { name: "Planes that glow" })).toBeVisible();
  const { exported_at: __, ...after } = await admin("export", "--product", name);
  expect(after).toEqual(before);
});
