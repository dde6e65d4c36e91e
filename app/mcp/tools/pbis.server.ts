import { z } from "zod";
import { createPbi, markPbiPrMerged, setPbiPr } from "~/nouns/pbis/operations.server";
import { createPbiInput, setPbiPrInput } from "~/wire/pbis/contract";
import { idOrCode, productOfCode, resolveId } from "../references.server";
import { defineTool, duplicates, refusesSimilar } from "../tool.server";

export const createPbiTool = defineTool({
  name: "create_pbi",
  title: "Create a PBI",
  description: "Create a PBI (an epic). The code defaults to the next PBI-<n>.",
  access: "write",
  creates: true,
  input: createPbiInput.safeExtend({ product_id: idOrCode }).safeExtend(duplicates),
  run: async ({ actor }, { product_id, allow_duplicate, ...fields }) =>
    createPbi(actor, {
      ...fields,
      ...refusesSimilar(allow_duplicate, fields.code),
      product_id: await resolveId(actor, "product", product_id),
    }),
});

export const setPbiPrTool = defineTool({
  name: "set_pbi_pr",
  title: "Link a pull request to a PBI",
  description: "Set the URL of a PBI's pull request; null removes it.",
  access: "write",
  effect: { repeatable: true },
  input: setPbiPrInput.safeExtend({ pbi_id: idOrCode }).safeExtend(productOfCode),
  run: async ({ actor }, { pbi_id, product_id, ...fields }) =>
    setPbiPr(actor, { ...fields, pbi_id: await resolveId(actor, "pbi", pbi_id, product_id) }),
});

export const markPbiPrMergedTool = defineTool({
  name: "mark_pbi_pr_merged",
  title: "Mark the pull request of a PBI as merged",
  description: "Record when the linked pull request was merged.",
  access: "write",
  effect: { repeatable: true },
  input: z.object({ pbi_id: idOrCode, ...productOfCode }),
  run: async ({ actor }, { pbi_id, product_id }) =>
    markPbiPrMerged(actor, { pbi_id: await resolveId(actor, "pbi", pbi_id, product_id) }),
});
