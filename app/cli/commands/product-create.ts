import { z } from "zod";
import { exportDocumentSchema, exportFormat, exportVersion } from "~/contract/export-document";
import { resolveAccount } from "~/domain/accounts/operations.server";
import { importDocument } from "~/domain/transfers/import-document.server";
import { defineCommand } from "../command";
import { productOptions } from "../product-options";

/** `product create`: an empty product of the owner. */
export const productCreate = defineCommand({
  name: "product create",
  summary: "Create an empty product",
  flags: ["auto-pr"],
  options: z.object({
    owner: z.string(),
    ...productOptions,
    description: z.string().optional(),
    "repo-url": z.string().optional(),
    "definition-of-done": z.string().optional(),
    "auto-pr": z.boolean().optional(),
    "pr-strategy": z.enum(["SPRINT", "STORY", "SPRINT_BATCH"]).optional(),
  }),
  run: async (target, options) => {
    const document = exportDocumentSchema.parse({
      format: exportFormat,
      version: exportVersion,
      product: {
        name: options.name,
        code: options.code,
        description: options.description,
        repo_url: options["repo-url"],
        definition_of_done: options["definition-of-done"],
        auto_pr: options["auto-pr"],
        pr_strategy: options["pr-strategy"],
      },
    });
    const database = await target.database();
    const account = await resolveAccount(database, { identifier: options.owner });
    const { id, code } = await importDocument(database, account.id, document);
    return { json: { id, code }, lines: [`Created ${code} for ${account.username}: ${id}`] };
  },
});
