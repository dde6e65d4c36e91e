import { describe, expect, it } from "vitest";
import { addFile } from "~/nouns/files/operations.server";
import { createTestDatabase } from "../../setup/database";
import { refusalOf } from "../refusal";

const t = await createTestDatabase();
const owner = await t.createUser();

/** Says that a product holds so many files of 10 MB, without their bytes. */
const fill = (productId: string, files: number, by = owner.id) =>
  t.query`insert into public.files (product_id, name, type, size, created_by)
    select ${productId}, 'f', 'text/plain', 10485760, ${by} from generate_series(1, ${files})`;
const add = (productId: string, by = owner) =>
  addFile(t.actorOf(by), {
    ...{ product_id: productId, name: "a.txt", type: "text/plain" },
    content: Buffer.from("one").toString("base64"),
  });

describe("room for files", () => {
  it("ends at 50 MB for a viewer, at 1 GB for a product and at 5 GB for its owner, and each says so", async () => {
    const product = await t.seedProduct(owner, {});
    const viewer = await t.createMember(product.id, { viewer: true });
    await fill(product.id, 4, viewer.id);
    expect(await add(product.id, viewer)).toMatchObject({ name: "a.txt" });
    await fill(product.id, 1, viewer.id);
    const refused = await refusalOf(add(product.id, viewer));
    expect([refused.status, refused.message]).toEqual([413, expect.stringContaining("50 MB")]);
    expect(await add(product.id)).toMatchObject({ name: "a.txt" });

    await fill(product.id, 110);
    expect((await refusalOf(add(product.id))).message).toContain("1 GB");
    let last = product;
    for (let n = 0; n < 4; n++) {
      last = await t.seedProduct(owner, {});
      await fill(last.id, 102);
    }
    expect((await refusalOf(add(last.id))).message).toContain("5 GB");
    const another = await t.createUser();
    expect(await add((await t.seedProduct(another, {})).id, another)).toBeDefined();
  });
});
