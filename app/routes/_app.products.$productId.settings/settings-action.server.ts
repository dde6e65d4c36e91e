import { json, redirect } from "@remix-run/node";
import { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import type { Env } from "~/env.server";
import { budgetIntents } from "~/features/budgets/budget-forms.server";
import { done, mergeEdit, readForm, runForm, runIntent, runOperation, textOf } from "~/http/form-action.server";
import { forgetProduct } from "~/http/page-guards.server";
import { setBudgetSettings } from "~/nouns/budgets/operations.server";
import { revokeIntakeHook, setIntakeHook } from "~/nouns/intake/intake-hook.server";
import { createLabel, deleteLabel, updateLabel } from "~/nouns/labels/operations.server";
import { createWebhook, deleteWebhook, pingWebhook, updateWebhook } from "~/nouns/notices/operations.server";
import { archiveProduct, deleteProduct, restoreProduct, updateProduct } from "~/nouns/products/operations.server";
import { isolated } from "~/ui/isolated";
import { setBudgetSettingsInput } from "~/wire/budgets/contract";
import { createLabelInput } from "~/wire/labels/contract";
import { createWebhookInput, updateWebhookInput, webhookIdInput } from "~/wire/notices/contract";
import { deleteProductInput, readReferences, referencesSchema, updateProductInput } from "~/wire/products/contract";
import { pathMarks, readMarks, reviewMarksSchema } from "~/wire/reviews/marks";
import { hostsSchema } from "~/wire/text";

/** Hosts and marks arrive as text. If another field was cleared, values are parsed twice, and are a list the second time. */
const productForm = updateProductInput.extend({
  may_reach: z
    .union([z.string().transform((typed) => typed.split(/[\s,]+/)), z.array(z.string())])
    .transform((hosts) => hosts.filter((host) => host !== ""))
    .pipe(hostsSchema)
    .optional(),
  references: z
    .union([z.string().transform(readReferences), z.array(z.unknown())])
    .superRefine((all, context) => {
      const wrong = referencesSchema.safeParse(all).error?.issues[0];
      if (wrong !== undefined) context.addIssue(`${lineOf(wrong.path)}${wrong.message}`);
    })
    .pipe(referencesSchema)
    .optional(),
  review_marks: z
    .union([z.string().transform(readMarks), z.record(z.string(), z.array(z.string()))])
    .refine((marks) => reviewMarksSchema.safeParse(marks).success, {
      message: `Write a mark and a pattern in each line, such as migration: db/**. Marks: ${pathMarks.join(", ")}.`,
    })
    .pipe(reviewMarksSchema)
    .optional(),
  fallback: z
    .union([z.string().transform((typed) => typed.split(/[\s,]+/)), z.array(z.string())])
    .transform((agents) => agents.filter((agent) => agent !== ""))
    .pipe(updateProductInput.shape.fallback.unwrap())
    .optional(),
  fallback_after: z.coerce.number().pipe(updateProductInput.shape.fallback_after.unwrap()).optional(),
});

/** Where in the typed list the mistake is. */
function lineOf([index]: readonly PropertyKey[]): string {
  return typeof index === "number" ? `Line ${index + 1}: ` : "";
}

/** Handles all forms of the product settings. The operations allow only the owner. */
export async function actOnProduct(
  actor: Actor,
  productId: string,
  form: FormData,
  url: string,
  env: Env,
): Promise<Response> {
  const back = new URL(url).pathname;
  const product = { product_id: productId };
  form.set("product_id", productId);
  return runIntent(form, {
    update: () =>
      runForm(
        form,
        productForm,
        async (input) => {
          // Browsers omit unchecked boxes: next to the hosts, where the boxes are, that means "no".
          const boxes = form.has("may_reach") && {
            requires_sandbox: form.has("requires_sandbox"),
            change_index: form.has("change_index"),
            avoid_overlap: form.has("avoid_overlap"),
          };
          await mergeEdit((edit) => updateProduct(actor, edit), { ...input, ...boxes });
          return done(form, back, "Saved");
        },
        {
          description: "",
          repo_url: "",
          definition_of_done: "",
          may_reach: "",
          references: "",
          review_marks: "",
          forge_issue_label: "",
          fallback: "",
          agent: null,
          model: null,
          effort: null,
        },
      ),
    archive: async () => {
      await archiveProduct(actor, product);
      return redirect("/dashboard", { status: 303, headers: { "set-cookie": forgetProduct(env) } });
    },
    restore: async () => {
      await restoreProduct(actor, product);
      return done(form, back, "Product restored");
    },
    delete: async () => {
      await deleteProduct(actor, readForm(form, deleteProductInput));
      return redirect("/dashboard", { status: 303, headers: { "set-cookie": forgetProduct(env) } });
    },
    "create-label": async () => {
      const { name } = await createLabel(actor, readForm(form, createLabelInput));
      return done(form, `${back}#labels`, `${isolated(name)} added`);
    },
    "update-label": () => runOperation(actor, form, updateLabel, `${back}#labels`, "Saved"),
    "delete-label": () => runOperation(actor, form, deleteLabel, `${back}#labels`, "Deleted"),
    ...budgetIntents(actor, form, productId, back),
    "budget-settings": () =>
      runForm(form, setBudgetSettingsInput, async (input) => {
        await setBudgetSettings(actor, input);
        return done(form, back, "Saved");
      }),
    "set-intake": async () => {
      const [secret = ""] = env.sessionSecrets;
      await setIntakeHook(actor, { ...product, secret });
      return done(form, `${back}#intake`, "Address created");
    },
    "revoke-intake": async () => {
      await revokeIntakeHook(actor, product);
      return done(form, `${back}#intake`, "Address revoked");
    },
    "add-webhook": () =>
      runForm(form, createWebhookInput, async (input) => {
        const { secret } = await createWebhook(actor, input);
        return json({ secret }, 201);
      }),
    "switch-webhook": async () => {
      const { webhook_id } = readForm(form, webhookIdInput);
      const active = textOf(form, "active") === "yes";
      await updateWebhook(actor, updateWebhookInput.parse({ webhook_id, active }));
      return done(form, back, active ? "Turned on" : "Turned off");
    },
    "ping-webhook": () => runOperation(actor, form, pingWebhook, back, "Test sent"),
    "delete-webhook": () => runOperation(actor, form, deleteWebhook, back, "Deleted"),
  });
}
