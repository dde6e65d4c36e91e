import { apiRoute, endpoint } from "~/http/endpoint.server";
import { readUploads } from "~/http/request-body.server";
import { json } from "~/http/responses.server";
import { authenticate } from "~/nouns/accounts/operations.server";
import { beginImport, importBacklog } from "~/nouns/transfers/import-backlog.server";
import { readImport } from "~/nouns/transfers/read-import.server";
import { importForm, importLimits, importReportSchema } from "~/wire/transfers/contract";

export const loader = apiRoute({
  POST: endpoint({
    name: "importBacklog",
    summary:
      "Import from Linear, GitHub, Jira, Trello, Backlog.md, Spec Kit, OpenSpec, beads or Backloom in one transaction",
    limit: "import",
    form: importForm,
    bodyLimit: importLimits.bytes + 65_536,
    answer: importReportSchema,
    status: 201,
    refusals: [403, 404, 409, 429],
    handle: async ({ actor, form, body, request }) => {
      const { format, product_id = null, name = null, code = null, preview = false } = body;
      const target = { product_id, name, code, done_requires: body.done_requires };
      const { user_id } = await authenticate(actor);
      const prepared = await readImport({ format, files: await readUploads(form, "file") }, user_id);
      if (/\brespond-async\b/i.test(request.headers.get("prefer") ?? "")) {
        const begun = await beginImport(actor, target, prepared, preview);
        const headers = { location: `/api/imports/${begun.id}`, "preference-applied": "respond-async" };
        return json({ import: begun }, { status: 202, headers });
      }
      const report = await importBacklog(actor, target, prepared, preview);
      return json(report, { status: preview ? 200 : 201 });
    },
  }),
});

export const action = loader;
