import { z } from "zod";
import { idSchema, requiredText } from "../text";

export const labelSchema = z.object({ id: z.string(), name: z.string(), color: z.string() });
export type Label = z.infer<typeof labelSchema>;

export const labelListSchema = z.object({ labels: z.array(labelSchema) });

/** Commas are not allowed: they separate labels in filters and lists. */
export const labelNameSchema = requiredText(50).refine((name) => !/[\p{Cc},]/u.test(name), {
  message: "Must be one line without commas.",
});

const colorSchema = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, "Must be a color such as #e5484d.")
  .describe("#rrggbb; default: the next of twelve");

export const createLabelBody = z.object({ name: labelNameSchema, color: colorSchema.optional() });
export const createLabelInput = createLabelBody.extend({ product_id: idSchema });

export const updateLabelBody = z.object({ name: labelNameSchema, color: colorSchema }).partial();
export const updateLabelInput = updateLabelBody.extend({ product_id: idSchema, label_id: idSchema });

export const labelIdInput = z.object({ product_id: idSchema, label_id: idSchema });

/** Labels of a story or task in a request: names in any case, or ids. */
export const labelNamesSchema = z
  .array(requiredText(50))
  .max(20, "At most 20 labels.")
  .describe("Names or ids of the product's labels");

/** Labels of a story or task in an answer; absent if it has none. */
export const shownLabels = { labels: z.array(labelSchema).optional() };

/** Returns the labels with the given ids, in the order of the list. */
export function labelsNamed(labels: readonly Label[], ids: readonly string[]): readonly Label[] {
  return ids.length === 0 ? [] : labels.filter(({ id }) => ids.includes(id));
}
