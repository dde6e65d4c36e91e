import { expect } from "@playwright/test";
import { openLive } from "./places";
import { test } from "./test";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("A picture attached to a comment is shown in it, and a refused file is reported", async ({
  world,
  ownPage: page,
}) => {
  await openLive(page, `/tasks/${world.taskIds[0]}`);
  const box = page.getByRole("textbox", { name: "Add a comment" });
  await box.fill("See here:");
  await page.getByLabel("Attach files").setInputFiles({ name: "shot.png", mimeType: "image/png", buffer: png });
  await expect(box).toHaveValue(/^See here:\n!\[shot\.png\]\(\/api\/files\/[0-9a-f-]{36}\)\n$/);
  await page
    .getByLabel("Attach files")
    .setInputFiles({ name: "a.png", mimeType: "image/png", buffer: Buffer.from([0, 1, 2]) });
  await expect(page.getByText("This type of file is not accepted.")).toBeVisible();
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  const picture = page.getByRole("img", { name: "shot.png" });
  await expect(picture).toBeVisible();
  await expect(page.getByText("Comment added")).toHaveCount(1);
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
});
