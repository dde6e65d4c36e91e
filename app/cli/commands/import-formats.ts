import { z } from "zod";
import { resolveAccount } from "~/nouns/accounts/operations.server";
import { type ImportReport, importFormats } from "~/nouns/transfers/contract";
import { readFiles } from "~/nouns/transfers/formats/read-files.server";
import { importBacklog } from "~/nouns/transfers/import-backlog.server";
import { resolveProduct } from "~/nouns/transfers/operations.server";
import { defineCommand, UsageError } from "../command";
import { readUploads } from "../read-uploads.server";
import { productOptions } from "./products";

/** `import <format> <path>`: what the browser and `POST /api/products/import` do, with files of this machine. */
export const importFromFormats = importFormats
  .filter((format) => format !== "backloom")
  .map((format) =>
    defineCommand({
      name: `import ${format}`,
      summary: `Import a backlog from ${format}, and report what was left out`,
      positionals: ["path"],
      options: z.object({
        path: z.string({ error: "Name the file or folder" }),
        owner: z.string(),
        name: productOptions.name.optional(),
        code: productOptions.code.optional(),
        product: z.string().optional(),
        preview: z.boolean().optional(),
      }),
      run: async (target, { path, owner, name, code, product, preview = false }) => {
        if (product === undefined ? !name || !code : name || code)
          throw new UsageError("Give either --product, or --name and --code of a new product");
        const draft = readFiles(format, await readUploads(path));
        const database = await target.database();
        const account = await resolveAccount(database, { identifier: owner });
        const into = product && (await resolveProduct(database, { reference: product }));
        const report = await importBacklog(
          { database, credential: { user_id: account.id } },
          {
            product_id: into ? into.id : null,
            name: name ?? null,
            code: code ?? null,
            // As the API's own default: a script that imports and starts a run waits for no one.
            done_requires: "none",
          },
          draft,
          preview,
        );
        return {
          json: { id: report.product.id, code: report.product.code, ...report },
          lines: linesOf(report),
        };
      },
    }),
  );

function linesOf(report: ImportReport): string[] {
  const { product, pbis, stories, tasks, ideas, dependencies, already_there } = report;
  return [
    `${report.preview ? "Would import into" : "Imported into"} ${product.code}: PBIs ${pbis}, stories ${stories}, tasks ${tasks}, ideas ${ideas}, dependencies ${dependencies}.`,
    ...(already_there > 0 ? [`Stories there from an earlier import: ${already_there}.`] : []),
    ...report.statuses.map(
      ({ word, became, known, count }) =>
        `  ${count} × "${word}" was read as ${became}${known ? "" : ", a guess"}`,
    ),
    ...report.unknown_people.map((name) => `No member ${name}: unassigned`),
    ...report.left_out.map(({ count, reason }) => `  ${count} × ${reason}`),
  ];
}
