import { z } from "zod";
import { operation, patchOperation } from "~/nouns/operation.server";
import { createLabelInput, labelIdInput, labelListSchema, labelSchema, updateLabelInput } from "~/wire/labels/contract";
import { productIdInput } from "~/wire/products/contract";

/** The labels of a product, by name. */
export const listLabels = operation("list_labels", productIdInput, labelListSchema);

/** Creates a label of a product. */
export const createLabel = operation("create_label", createLabelInput, labelSchema);

/** Changes a label's name or color. */
export const updateLabel = patchOperation(
  "update_label",
  updateLabelInput,
  { own: ["product_id", "label_id"], rest: "changes" },
  labelSchema,
);

/** Deletes a label and removes it from stories and tasks. */
export const deleteLabel = operation("delete_label", labelIdInput, z.object({ deleted: z.boolean() }));
